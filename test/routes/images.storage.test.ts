import { hash } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { type Image, newImage, withPath } from '../support/images.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const IMAGES = '/api/v1/images'

type Got = { status: number; headers: Headers; bytes: Buffer }

describe.each(['files', 'S3'])('with %s', (place) => {
  let shop: TestShop
  let server: S3Server | undefined
  let editor: string
  beforeAll(async () => {
    server = place === 'S3' ? await startS3Server() : undefined
    shop = await startTestShop(server?.variables)
    await shop.deps.storage.prepare()
    editor = await loginAs(shop, 'EDITOR')
  })
  afterAll(async () => {
    await shop.close()
    await server?.close()
  })

  async function upload(bytes: Buffer, name = 'a.png', path = IMAGES, method = 'POST') {
    const form = new FormData()
    form.append('file', new File([new Uint8Array(bytes)], name))
    return shop.call(method, path, { token: editor, form })
  }
  async function uploaded(bytes: Buffer, name?: string): Promise<ReturnType<typeof withPath>> {
    const { status, body, text } = await upload(bytes, name)
    expect([status, text]).toEqual([201, expect.any(String)])
    return withPath(body as Image)
  }
  async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
    const answer = await fetch(shop.url + path, { method, headers })
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const objectsOf = async () => (await Array.fromAsync(shop.deps.storage.list('images/'))).map(({ key }) => key)
  async function storageKeyOf(id: number): Promise<string> {
    const image = shop.deps.db.selectFrom('images').select('storage_key').where('id', '=', id)
    return (await image.executeTakeFirstOrThrow()).storage_key
  }

  test('returns the uploaded bytes', async () => {
    const bytes = await newImage({ width: 64, height: 48 }, 'jpeg')
    const image = await uploaded(bytes, 'Дрель «Вектор».JPEG')
    expect(image).toMatchObject({
      fileName: 'Дрель «Вектор».JPEG',
      contentType: 'image/jpeg',
      size: bytes.length,
      width: 64,
      height: 48,
      usedBy: [],
      url: `${IMAGES}/${image.id}?v=${image.sha256.slice(0, 12)}`,
    })
    const got = await get(image.url)
    expect(got.bytes.equals(bytes)).toBe(true)
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${image.sha256.slice(0, 32)}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(got.headers.get('vary') ?? '').not.toMatch(/accept/i)
    const head = await get(image.url, {}, 'HEAD')
    expect([head.status, head.bytes.length, head.headers.get('content-length')]).toEqual([200, 0, String(bytes.length)])
  })

  test('serves ranges', async () => {
    const bytes = await newImage({ width: 100, height: 80 })
    const { path } = await uploaded(bytes)
    const etag = (await get(path)).headers.get('etag') ?? ''
    const last = bytes.length - 1
    const pieces: [string, number, number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=10-19', 10, 19],
      ['bytes=10-', 10, last],
      ['bytes=-7', last - 6, last],
      [`bytes=-${bytes.length + 50}`, 0, last],
      [`bytes=5-${bytes.length + 50}`, 5, last],
      [`bytes=${last}-${last}`, last, last],
    ]
    for (const [range, from, to] of pieces) {
      const piece = await get(path, { range })
      expect([range, piece.status, piece.headers.get('content-range'), piece.headers.get('content-length')]).toEqual([
        range,
        206,
        `bytes ${from}-${to}/${bytes.length}`,
        String(to - from + 1),
      ])
      expect(piece.bytes.equals(bytes.subarray(from, to + 1))).toBe(true)
    }
    for (const range of ['bytes=0-1,3-4', 'bytes=9-3', 'bytes=a-b', 'lines=1-2', 'bytes=-', 'bytes', 'bytes=1-2-3']) {
      const whole = await get(path, { range })
      expect([range, whole.status, whole.bytes.equals(bytes)]).toEqual([range, 200, true])
    }
    for (const range of [`bytes=${bytes.length}-`, 'bytes=999999999-', 'bytes=-0', `bytes=${'9'.repeat(30)}-`]) {
      const none = await get(path, { range })
      expect([range, none.status, none.headers.get('content-range')]).toEqual([range, 416, `bytes */${bytes.length}`])
      expect(JSON.parse(none.bytes.toString())).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' })
    }
    expect((await get(path, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206)
    for (const other of ['"other"', `W/${etag}`, new Date().toUTCString()]) {
      expect((await get(path, { range: 'bytes=0-9', 'if-range': other })).status).toBe(200)
    }
    expect((await get(path, { range: 'bytes=0-9', 'if-none-match': etag })).status).toBe(304)
  })

  test('serves variants in the format of Accept and stores them', async () => {
    const { path } = await uploaded(await newImage({ width: 900, height: 600 }, 'jpeg'), 'a.jpg')
    const chrome = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'
    const cases: [string, string][] = [
      [chrome, 'image/avif'],
      ['image/webp,*/*', 'image/webp'],
      ['IMAGE/AVIF;q=0.1, image/webp', 'image/webp'],
      ['image/avif;q=0.6, image/webp;q=0.5', 'image/avif'],
      ['image/avif;q=0, image/webp;q=0.5', 'image/webp'],
      ['image/avif; q=0.000', 'image/jpeg'],
      ['*/*', 'image/jpeg'],
      ['image/*', 'image/jpeg'],
      ['', 'image/jpeg'],
      ['image/avifx, ximage/webp', 'image/jpeg'],
    ]
    const etags = new Set<string | null>()
    for (const [accept, type] of cases) {
      const { status, headers, bytes } = await get(`${path}?width=320`, { accept })
      expect([accept, status, headers.get('content-type')]).toEqual([accept, 200, type])
      expect(headers.get('vary')).toMatch(/accept/i)
      expect(headers.get('content-length')).toBe(String(bytes.length))
      etags.add(headers.get('etag'))
      expect(await sharp(bytes).metadata()).toMatchObject({ width: 320, height: 213 })
      const again = await get(`${path}?width=320`, { accept })
      expect(again.bytes.equals(bytes)).toBe(true)
      const unchanged = await get(`${path}?width=320`, { accept, 'if-none-match': headers.get('etag') ?? '' })
      expect(unchanged.status).toBe(304)
      const piece = await get(`${path}?width=320`, { accept, range: 'bytes=2-5' })
      expect([piece.status, piece.bytes]).toEqual([206, bytes.subarray(2, 6)])
    }
    expect(etags.size).toBe(3)
  })

  test('draws a variant once for a first HEAD, range or concurrent request', async () => {
    const { path } = await uploaded(await newImage({ width: 900, height: 600 }))
    const before = await objectsOf()
    const head = await get(`${path}?width=160`, {}, 'HEAD')
    expect([head.status, Number(head.headers.get('content-length')) > 0]).toEqual([200, true])
    expect((await get(`${path}?width=320`, { range: 'bytes=0-3' })).bytes.toString('latin1')).toBe('\x89PNG')
    expect((await get(`${path}?width=480`, { range: 'bytes=99999999-' })).status).toBe(416)
    const many = await Promise.all(Array.from({ length: 12 }, () => get(`${path}?width=640`)))
    expect(new Set(many.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1)
    const made = (await objectsOf()).filter((key) => !before.includes(key)).map((key) => key.split('/').at(-1))
    expect(made.toSorted()).toEqual(['160.png', '320.png', '480.png', '640.png'])
  })

  test('keeps id and uses of a replaced image and deletes its old objects', async () => {
    const [old, bytes] = [await newImage(), await newImage({ width: 70, height: 20 }, 'webp')]
    const { id, path } = await uploaded(old, 'old.png')
    const productId = await createProduct(shop.deps.db)
    await shop.deps.db
      .insertInto('product_images')
      .values({ product_id: productId, image_id: id, display_order: 0 })
      .execute()
    const before = await get(path)
    await get(`${path}?width=160`)
    const objects = await objectsOf()
    const replaced = await storageKeyOf(id)
    const { status, body } = await upload(bytes, 'new.webp', `${path}/replace`, 'PUT')
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id,
        url: `${path}?v=${hash('sha256', bytes).slice(0, 12)}`,
        fileName: 'new.webp',
        contentType: 'image/webp',
        width: 70,
        height: 20,
        usedBy: [{ type: 'PRODUCT', id: productId, name: expect.any(String) }],
      }),
    ])
    const after = await get(path, { 'if-none-match': before.headers.get('etag') ?? '' })
    expect([after.status, after.bytes.equals(bytes)]).toEqual([200, true])
    expect((await sharp((await get(`${path}?width=160`)).bytes).metadata()).height).toBe(20)
    const left = await objectsOf()
    const storage_key = await storageKeyOf(id)
    expect(left.filter((key) => !objects.includes(key)).toSorted()).toEqual([
      `${storage_key}/160.webp`,
      `${storage_key}/original`,
    ])
    expect(left.filter((key) => key.startsWith(replaced))).toEqual([])

    const same = await upload(bytes, 'renamed.webp', `${path}/replace`, 'PUT')
    expect(same.body).toMatchObject({ fileName: 'renamed.webp', sha256: Object(body).sha256 })
    expect((await objectsOf()).toSorted()).toEqual(left.toSorted())
    expect((await upload(bytes, 'x', `${IMAGES}/999999/replace`, 'PUT')).status).toBe(404)
    expect((await upload(Buffer.from('<svg/>'), 'x', `${path}/replace`, 'PUT')).status).toBe(415)
    expect((await get(path)).bytes.equals(bytes)).toBe(true)
  })

  test('deletes the objects of a deleted image', async () => {
    const { id, path } = await uploaded(await newImage())
    const key = await storageKeyOf(id)
    await get(`${path}?width=160`)
    expect((await shop.call('DELETE', path, { token: editor })).status).toBe(204)
    expect((await objectsOf()).filter((one) => one.startsWith(key))).toEqual([])
    for (const method of ['GET', 'HEAD']) expect((await get(path, {}, method)).status).toBe(404)
    expect((await shop.call('DELETE', path, { token: editor })).status).toBe(404)
  })
})
