import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { storageDown } from '../../src/clients/storage/storage.ts'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { claimedPng, type Image, imageOfBytes, newImage } from '../support/images.ts'
import { untilWaiting, whileLocked } from '../support/locks.ts'
import { openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// What is alike wherever the bytes are; images.storage.test.ts asks each place.

const IMAGES = '/api/v1/images'
const LARGEST = 15 * 1024 * 1024

let shop: TestShop
let other: TestShop
let editor: string
beforeAll(async () => {
  shop = await startTestShop()
  // Where the second instance looks too.
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  other.deps.storage = shop.deps.storage
  editor = await loginAs(shop, 'EDITOR')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})
afterEach(async () => {
  await shop.deps.db.deleteFrom('images').execute()
  const objects = await Array.fromAsync(shop.deps.storage.list(''))
  await shop.deps.storage.delete(objects.map(({ key }) => key))
})

const formOf = (bytes: Buffer, name = 'a.png') => {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(bytes)], name))
  return form
}
const upload = (bytes: Buffer, name?: string) =>
  shop.call('POST', IMAGES, { token: editor, form: formOf(bytes, name) })
const uploaded = async (bytes: Buffer, name?: string) => (await upload(bytes, name)).body as Image
const leftovers = async () => [
  await shop.deps.db.selectFrom('images').select('id').execute(),
  await Array.fromAsync(shop.deps.storage.list('')),
]

test('uploading the same bytes again is a 200', async () => {
  const bytes = await newImage()
  const first = await upload(bytes, 'first.png')
  const second = await upload(bytes, 'second.png')
  expect([first.status, second.status]).toEqual([201, 200])
  expect(second.body).toEqual(first.body)
})

test.each([
  ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415],
  ['nothing', () => Buffer.alloc(0), 415],
  [
    'a JPEG cut short',
    async () => (await newImage({ width: 400, height: 400 }, 'jpeg')).subarray(0, -60),
    415,
  ],
  ['900 megapixels', () => claimedPng(30_000, 30_000), 413],
  ['one byte too many', () => imageOfBytes(LARGEST + 1), 413],
  ['far too many bytes', () => Buffer.alloc(20 * 1024 * 1024), 413],
])('rejects %s and stores nothing', async (_name, make, status) => {
  const answer = await upload(await make(), 'picture.png')
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('"message"')])
  expect(await leftovers()).toEqual([[], []])
})

test('lists images by search, use and order', async () => {
  const { db } = shop.deps
  const made = []
  for (const name of ['Alpha.png', 'beta 100%.png', 'alphabet_1.png'])
    made.push(await uploaded(await newImage(), name))
  const [a, b, c] = made.map(({ id }) => id)
  const productId = await createProduct(db)
  await db
    .insertInto('product_images')
    .values({ product_id: productId, image_id: a ?? 0, display_order: 0 })
    .execute()
  const banner = await db
    .insertInto('banner_blocks')
    .values({ title: 'Sale', image_id: a ?? null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const feature = await db
    .insertInto('feature_items')
    .values({ title: 'Fast', image_id: b ?? null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const list = async (query: string) => {
    const { status, body } = await shop.call('GET', `${IMAGES}?${query}`, { token: editor })
    expect([query, status]).toEqual([query, 200])
    return Object(body).content as Image[]
  }
  const ids = async (query: string) => (await list(query)).map(({ id }) => id)
  expect(await ids('')).toEqual([c, b, a])
  expect(await ids('search=ALPHA&sort=id')).toEqual([a, c])
  expect(await ids('search=100%25')).toEqual([b])
  expect(await ids('search=t_1')).toEqual([c])
  expect(await ids('search=%25')).toEqual([b])
  expect(await ids('unused=true')).toEqual([c])
  expect(await ids('unused=false&sort=id,desc')).toEqual([b, a])
  expect(await ids('sort=fileName,desc&size=1&page=1')).toHaveLength(1)
  expect((await list('sort=id'))[0]?.usedBy).toEqual([
    { type: 'PRODUCT', id: productId, name: expect.any(String) },
    { type: 'BANNER', id: banner.id, name: 'Sale' },
  ])
  expect((await list('search=beta'))[0]?.usedBy).toEqual([{ type: 'FEATURE', id: feature.id, name: 'Fast' }])
  for (const query of ['sort=sha256', 'size=0', 'unused=maybe', 'search=%00']) {
    expect((await shop.call('GET', `${IMAGES}?${query}`, { token: editor })).status).toBe(400)
  }
  await db.deleteFrom('banner_blocks').execute()
  await db.deleteFrom('feature_items').execute()
})

test('deletes an image in use, and its uses, only with force', async () => {
  const { db } = shop.deps
  const { id, url } = await uploaded(await newImage())
  const productId = await createProduct(db)
  await db
    .insertInto('product_images')
    .values({ product_id: productId, image_id: id, display_order: 0 })
    .execute()
  const { id: bannerId } = await db
    .insertInto('banner_blocks')
    .values({ title: 'Sale', image_id: id })
    .returning('id')
    .executeTakeFirstOrThrow()
  shop.deps.caches.clear()
  other.deps.caches.clear()
  const shown = async (on: TestShop) => {
    const card = (await on.call('GET', `/api/v1/products/${productId}`)).body
    const banners = (await on.call('GET', '/api/v1/banner-blocks/active')).body
    return [Object(card).images.length, Object(banners)[0].imageId, (await on.call('GET', url)).status]
  }
  for (const on of [shop, other]) expect(await shown(on)).toEqual([1, id, 200])

  const refused = await shop.call('DELETE', url, { token: editor })
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.objectContaining({
      code: 'IMAGE_IN_USE',
      details: [
        { path: 'usedBy.0', message: expect.stringContaining(`PRODUCT ${productId}: `) },
        { path: 'usedBy.1', message: `BANNER ${bannerId}: Sale` },
      ],
    }),
  ])
  for (const on of [shop, other]) expect(await shown(on)).toEqual([1, id, 200])

  expect((await shop.call('DELETE', `${url}?force=true`, { token: editor })).status).toBe(204)
  expect(await shown(shop)).toEqual([0, null, 404])
  await expect.poll(() => shown(other)).toEqual([0, null, 404])
  const banners = db.selectFrom('banner_blocks').select('version').where('id', '=', bannerId)
  expect(await banners.executeTakeFirst()).toEqual({ version: 2 })
  const entries = await db
    .selectFrom('audit_log')
    .select(['action', 'before'])
    .where('entity', '=', 'IMAGE')
    .where('entity_id', '=', String(id))
    .orderBy('id')
    .execute()
  expect(entries).toMatchObject([{ action: 'CREATE' }, { action: 'DELETE', before: { fileName: 'a.png' } }])
  await db.deleteFrom('banner_blocks').execute()
})

test('an upload waits for the deletion of the same bytes', async () => {
  const { db } = shop.deps
  const bytes = await newImage()
  const { id } = await uploaded(bytes)
  const { answer } = await whileLocked(
    db,
    (trx) => trx.deleteFrom('images').where('id', '=', id).execute(),
    async () => {
      const answer = upload(bytes)
      await untilWaiting(db)
      return { answer }
    },
  )
  const { status, body } = await answer
  expect([status, (await shop.call('GET', Object(body).url)).status]).toEqual([201, 200])
})

test('answers a replacement whose image is deleted right after', async () => {
  const { db, storage } = shop.deps
  const { id, url } = await uploaded(await newImage())
  try {
    shop.deps.storage = {
      ...storage,
      async *list(prefix) {
        await db.deleteFrom('images').where('id', '=', id).execute()
        yield* storage.list(prefix)
      },
    }
    const form = formOf(await newImage())
    const replaced = await shop.call('PUT', `${url}/replace`, { token: editor, form })
    expect([replaced.status, Object(replaced.body).id]).toEqual([200, id])
  } finally {
    shop.deps.storage = storage
  }
})

test('products show the size of a replacement on all instances', async () => {
  const { id, url } = await uploaded(await newImage())
  const productId = await createProduct(shop.deps.db)
  const link = { product_id: productId, image_id: id, display_order: 0 }
  await shop.deps.db.insertInto('product_images').values(link).execute()
  shop.deps.caches.clear()
  other.deps.caches.clear()
  const size = async (on: TestShop) => {
    const [image] = Object(await on.call('GET', `/api/v1/products/${productId}`)).body.images
    return [image.width, image.height]
  }
  for (const on of [shop, other]) expect([await size(on), await size(on)]).toEqual(Array(2).fill([40, 30]))
  const form = formOf(await newImage({ width: 50, height: 20 }))
  expect((await shop.call('PUT', `${url}/replace`, { token: editor, form })).status).toBe(200)
  for (const on of [shop, other]) await expect.poll(() => size(on)).toEqual([50, 20])
})

test('shows a replacement on the other instance', async () => {
  const [old, bytes] = [await newImage(), await newImage()]
  const { url } = await uploaded(old)
  const etagOn = async (on: TestShop) => (await on.call('GET', url)).headers.get('etag')
  const before = await etagOn(other)
  expect(await etagOn(shop)).toBe(before)
  expect((await shop.call('PUT', `${url}/replace`, { token: editor, form: formOf(bytes) })).status).toBe(200)
  expect(await etagOn(shop)).not.toBe(before)
  await expect.poll(() => etagOn(other)).not.toBe(before)
})

test.skipIf(process.platform !== 'linux')(
  'of an image of the maximum size a client that disconnects leaves no open file',
  async () => {
    const { url, size } = await uploaded(await imageOfBytes(LARGEST))
    expect(size).toBe(LARGEST)
    const openFiles = async () => {
      const numbers = await readdir('/proc/self/fd')
      const paths = await Promise.all(numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
      return paths.filter((path) => path.includes('/objects/images/')).length
    }
    for (const range of ['', 'Range: bytes=1000-9999999\r\n']) {
      const sockets = await Promise.all(Array.from({ length: 8 }, () => openSocket(shop.url)))
      for (const socket of sockets) {
        socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n${range}\r\n`)
        await once(socket, 'data')
        socket.pause()
      }
      expect(await openFiles()).toBeGreaterThan(0)
      for (const socket of sockets) socket.destroy()
      await expect.poll(openFiles).toBe(0)
    }
    expect((await shop.call('HEAD', url)).status).toBe(200)
    await expect.poll(openFiles).toBe(0)
  },
)

test('roles', async () => {
  const user = await loginAs(shop, 'USER')
  const { url } = await uploaded(await newImage())
  for (const [method, path] of [
    ['GET', IMAGES],
    ['POST', IMAGES],
    ['PUT', `${url}/replace`],
    ['DELETE', url],
  ] as const) {
    expect((await shop.call(method, path)).status).toBe(401)
    expect((await shop.call(method, path, { token: user })).status).toBe(403)
  }
})

test('responds 503 if the storage is unavailable and 404 to a missing object', async () => {
  const { url } = await uploaded(await newImage())
  const { storage } = shop.deps
  const down = () => Promise.reject(storageDown(new Error('no disk')))
  try {
    shop.deps.storage = { ...storage, put: down, open: down, delete: down, check: down }
    for (const [method, path] of [
      ['GET', url],
      ['GET', `${url}?width=160`],
      ['HEAD', `${url}?width=160`],
      ['GET', '/health/ready'],
    ] as const) {
      const { status, headers } = await shop.call(method, path)
      expect([path, status, Number(headers.get('retry-after')) > 0]).toEqual([path, 503, true])
    }
    expect((await upload(await newImage())).status).toBe(503)
    expect(
      (await shop.call('PUT', `${url}/replace`, { token: editor, form: formOf(await newImage()) })).status,
    ).toBe(503)
  } finally {
    shop.deps.storage = storage
  }
  expect(await shop.deps.db.selectFrom('images').select('id').execute()).toHaveLength(1)
  await storage.delete((await Array.fromAsync(storage.list(''))).map(({ key }) => key))
  for (const path of [url, `${url}?width=160`]) expect((await shop.call('GET', path)).status).toBe(404)
})

test('responds 304 to a matching ETag', async () => {
  const { url } = await uploaded(await newImage())
  const get = (known: string, method = 'GET') =>
    shop.call(method, url, { headers: { 'if-none-match': known } })
  const etag = (await shop.call('GET', url)).headers.get('etag') ?? ''
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, text, headers } = await get(known)
    expect([known, status, text, headers.get('etag')]).toEqual([known, 304, '', etag])
  }
  expect((await get('"other"')).status).toBe(200)
  expect((await get(etag, 'HEAD')).status).toBe(304)
})

test('serves a complete image that is replaced between the read of its row and that of its bytes', async () => {
  const [old, bytes] = [await newImage(), await newImage()]
  const { url } = await uploaded(old)
  const { storage } = shop.deps
  let opened = 0
  try {
    shop.deps.storage = {
      ...storage,
      async open(key, range) {
        opened += 1
        if (opened === 1) {
          const form = formOf(bytes)
          expect((await shop.call('PUT', `${url}/replace`, { token: editor, form })).status).toBe(200)
        }
        return storage.open(key, range)
      },
    }
    const answer = await fetch(shop.url + url)
    const got = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, got.equals(bytes)]).toEqual([200, true])
  } finally {
    shop.deps.storage = storage
  }
})

test('stores one of several concurrent replacements and no object of the others', async () => {
  const { id, url } = await uploaded(await newImage())
  const all = await Promise.all(Array.from({ length: 5 }, () => newImage()))
  const answers = await Promise.all(
    all.map((bytes) => shop.call('PUT', `${url}/replace`, { token: editor, form: formOf(bytes) })),
  )
  expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200))
  const got = Buffer.from(await (await fetch(shop.url + url)).arrayBuffer())
  expect(all.some((bytes) => bytes.equals(got))).toBe(true)
  const rows = await shop.deps.db.selectFrom('images').select(['id', 'storage_key']).execute()
  expect(rows).toEqual([{ id, storage_key: expect.any(String) }])
  const keys = (await Array.fromAsync(shop.deps.storage.list('images/'))).map(({ key }) => key)
  expect(keys).toEqual([`${rows[0]?.storage_key}/original`])
})
