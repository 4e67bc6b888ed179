import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { throwDown } from '../../src/clients/storage/storage.ts'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { claimedPng, deleteImages, type Image, imageForm, imageOfBytes, newImage, withPath } from '../support/images.ts'
import { openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// What is alike wherever the bytes are; images.storage.test.ts asks each place.

const IMAGES = '/api/v1/images'
const LARGEST = 15 * 1024 * 1024

let shop: TestShop
let editor: string
beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
})
afterAll(() => shop.close())
afterEach(() => deleteImages(shop))

const upload = (bytes: Buffer, name?: string, headers = {}) =>
  shop.call('POST', IMAGES, { token: editor, form: imageForm(bytes, name), headers })
const uploaded = async (bytes: Buffer, name?: string) => withPath((await upload(bytes, name)).body as Image)
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
  ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'Выберите изображение JPEG'],
  ['nothing', () => Buffer.alloc(0), 415, 'Выберите изображение JPEG'],
  [
    'a JPEG cut short',
    async () => (await newImage({ width: 400, height: 400 }, 'jpeg')).subarray(0, -60),
    415,
    'Файл изображения повреждён',
  ],
  ['900 megapixels', () => claimedPng(30_000, 30_000), 413, 'В изображении больше 50 мегапикселей'],
  ['one byte too many', () => imageOfBytes(LARGEST + 1), 413, 'Файл больше 15 МБ'],
  ['far too many bytes', () => Buffer.alloc(20 * 1024 * 1024), 413, 'Файл больше 15 МБ'],
])('rejects %s and stores nothing', async (_name, make, status, message) => {
  const answer = await upload(await make(), 'picture.png', { 'accept-language': 'ru' })
  expect([answer.status, answer.body]).toMatchObject([
    status,
    { details: [{ path: 'file', message: expect.stringContaining(message) }] },
  ])
  expect(await leftovers()).toEqual([[], []])
})

test('keeps the quotes of a file name, which browsers send as %22', async () => {
  const { fileName } = await uploaded(await newImage(), 'ТВ 55" 100%.png')
  expect(fileName).toBe('ТВ 55" 100%.png')
})

test('lists images by search, use and order', async () => {
  const { db } = shop.deps
  const made = []
  for (const name of ['Alpha.png', 'be\u0301ta 100% Е\u0308лка.png', 'alphabet_1.png'])
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
  // Unlike a phone number, a name is searched as typed.
  expect(await ids('search=1.00')).toEqual([])
  // A Mac decomposes letters in names of files.
  for (const name of ['ёлка', 'ЕЛКА', 'BÉTA'])
    expect(await ids(`search=${encodeURIComponent(name)}`), name).toEqual([b])
  expect(await ids('search=t_1')).toEqual([c])
  expect(await ids('search=%25')).toEqual([b])
  expect(await ids('unused=true')).toEqual([c])
  expect(await ids('unused=false&sort=id,desc')).toEqual([b, a])
  expect(await ids('sort=fileName,desc&size=1&page=1')).toHaveLength(1)
  expect((await list('sort=id'))[0]?.usedBy).toEqual([
    { type: 'PRODUCT', id: productId, name: expect.any(String) },
    { type: 'BANNER', id: banner.id, name: 'Sale' },
  ])
  expect((await list('search=b%C3%A9ta'))[0]?.usedBy).toEqual([{ type: 'FEATURE', id: feature.id, name: 'Fast' }])
  for (const query of ['sort=sha256', 'size=0', 'unused=maybe', 'search=%00']) {
    expect((await shop.call('GET', `${IMAGES}?${query}`, { token: editor })).status).toBe(400)
  }
  await db.deleteFrom('banner_blocks').execute()
  await db.deleteFrom('feature_items').execute()
})

test.skipIf(process.platform !== 'linux')(
  'of an image of the maximum size a client that disconnects leaves no open file',
  async () => {
    const { path, size } = await uploaded(await imageOfBytes(LARGEST))
    expect(size).toBe(LARGEST)
    const openFiles = async () => {
      const numbers = await readdir('/proc/self/fd')
      const paths = await Promise.all(numbers.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
      return paths.filter((path) => path.includes('/objects/images/')).length
    }
    for (const range of ['', 'Range: bytes=1000-9999999\r\n']) {
      const sockets = await Promise.all(Array.from({ length: 8 }, () => openSocket(shop.url)))
      for (const socket of sockets) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${range}\r\n`)
        await once(socket, 'data')
        socket.pause()
      }
      expect(await openFiles()).toBeGreaterThan(0)
      for (const socket of sockets) socket.destroy()
      await expect.poll(openFiles).toBe(0)
    }
    expect((await shop.call('HEAD', path)).status).toBe(200)
    await expect.poll(openFiles).toBe(0)
  },
)

test('responds 503 if the storage is unavailable and 404 to a missing object', async () => {
  const { path } = await uploaded(await newImage())
  const { storage } = shop.deps
  const down = async () => throwDown(new Error('no disk'))
  try {
    shop.deps.storage = { ...storage, put: down, open: down, delete: down, check: down }
    for (const [method, asked] of [
      ['GET', path],
      ['GET', `${path}?width=160`],
      ['HEAD', `${path}?width=160`],
      ['GET', '/health/ready'],
    ] as const) {
      const { status, headers } = await shop.call(method, asked)
      expect([asked, status, Number(headers.get('retry-after')) > 0]).toEqual([asked, 503, true])
    }
    expect((await upload(await newImage())).status).toBe(503)
    expect(
      (await shop.call('PUT', `${path}/replace`, { token: editor, form: imageForm(await newImage()) })).status,
    ).toBe(503)
  } finally {
    shop.deps.storage = storage
  }
  expect(await shop.deps.db.selectFrom('images').select('id').execute()).toHaveLength(1)
  await storage.delete((await Array.fromAsync(storage.list(''))).map(({ key }) => key))
  for (const query of ['', '?width=160']) expect((await shop.call('GET', `${path}${query}`)).status).toBe(404)
})

test('responds 304 to a matching ETag', async () => {
  const { path } = await uploaded(await newImage())
  const get = (known: string, method = 'GET') => shop.call(method, path, { headers: { 'if-none-match': known } })
  const etag = (await shop.call('GET', path)).headers.get('etag') ?? ''
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, text, headers } = await get(known)
    expect([known, status, text, headers.get('etag')]).toEqual([known, 304, '', etag])
  }
  expect((await get('"other"')).status).toBe(200)
  expect((await get(etag, 'HEAD')).status).toBe(304)
})
