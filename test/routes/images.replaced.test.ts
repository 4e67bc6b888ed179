import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { deleteImages, type Image, imageForm, newImage, withPath } from '../support/images.ts'
import { untilWaiting, whileLocked } from '../support/locks.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const IMAGES = '/api/v1/images'

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
afterEach(() => deleteImages(shop))

const upload = (bytes: Buffer, name?: string) =>
  shop.call('POST', IMAGES, { token: editor, form: imageForm(bytes, name) })
const uploaded = async (bytes: Buffer, name?: string) => withPath((await upload(bytes, name)).body as Image)

test('deletes an image in use, and its uses, only with force', async () => {
  const { db } = shop.deps
  const { id, path } = await uploaded(await newImage())
  const productId = await createProduct(db)
  await db.insertInto('product_images').values({ product_id: productId, image_id: id, display_order: 0 }).execute()
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
    const statuses = [await on.call('GET', path), await on.call('GET', `${path}?width=160`)].map(({ status }) => status)
    return [Object(card).images.length, Object(banners)[0].imageId, ...statuses]
  }
  for (const on of [shop, other]) expect(await shown(on)).toEqual([1, id, 200, 200])

  const refused = await shop.call('DELETE', path, { token: editor })
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.objectContaining({
      code: 'IMAGE_IN_USE',
      details: [
        { path: 'usedBy.0', message: expect.stringContaining(`Product ${productId}: `) },
        { path: 'usedBy.1', message: `Banner ${bannerId}: Sale` },
      ],
    }),
  ])
  for (const on of [shop, other]) expect(await shown(on)).toEqual([1, id, 200, 200])

  expect((await shop.call('DELETE', `${path}?force=true`, { token: editor })).status).toBe(204)
  expect(await shown(shop)).toEqual([0, null, 404, 404])
  await expect.poll(() => shown(other)).toEqual([0, null, 404, 404])
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

test('a form opened before an image was deleted can be saved, but not bring it back', async () => {
  const { id, path } = await uploaded(await newImage())
  const { id: kept } = await uploaded(await newImage())
  const admin = await loginAs(shop, 'ADMIN')
  const product = `/api/v1/products/${await createProduct(shop.deps.db)}`
  const set = (imageIds: number[], version: number) =>
    shop.call('PUT', `${product}/images`, {
      token: admin,
      headers: { 'if-match': `"${version}"` },
      body: { imageIds },
    })
  const { version } = (await set([id, kept], 1)).body as { version: number }
  expect((await shop.call('DELETE', `${path}?force=true`, { token: editor })).status).toBe(204)
  const stale = await set([kept, id], version)
  expect([stale.status, stale.body]).toMatchObject([400, { details: [{ path: 'imageIds.1' }] }])
  expect((await set([kept], version)).body).toMatchObject({ images: [{ id: kept }] })
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
  const { id, path } = await uploaded(await newImage())
  try {
    shop.deps.storage = {
      ...storage,
      async *list(prefix) {
        await db.deleteFrom('images').where('id', '=', id).execute()
        yield* storage.list(prefix)
      },
    }
    const form = imageForm(await newImage())
    const replaced = await shop.call('PUT', `${path}/replace`, { token: editor, form })
    expect([replaced.status, Object(replaced.body).id]).toEqual([200, id])
  } finally {
    shop.deps.storage = storage
  }
})

test('products show the size of a replacement on all instances', async () => {
  const { id, path } = await uploaded(await newImage())
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
  const form = imageForm(await newImage({ width: 50, height: 20 }))
  expect((await shop.call('PUT', `${path}/replace`, { token: editor, form })).status).toBe(200)
  for (const on of [shop, other]) await expect.poll(() => size(on)).toEqual([50, 20])
})

test('shows a replacement on the other instance', async () => {
  const [old, bytes] = [await newImage(), await newImage()]
  const { path } = await uploaded(old)
  const etagOn = async (on: TestShop) => (await on.call('GET', path)).headers.get('etag')
  const before = await etagOn(other)
  expect(await etagOn(shop)).toBe(before)
  expect((await shop.call('PUT', `${path}/replace`, { token: editor, form: imageForm(bytes) })).status).toBe(200)
  expect(await etagOn(shop)).not.toBe(before)
  await expect.poll(() => etagOn(other)).not.toBe(before)
})

test('serves a complete image that is replaced between the read of its row and that of its bytes', async () => {
  const [old, bytes] = [await newImage(), await newImage()]
  const { path } = await uploaded(old)
  const { storage } = shop.deps
  let opened = 0
  try {
    shop.deps.storage = {
      ...storage,
      async open(key, range) {
        opened += 1
        if (opened === 1) {
          const form = imageForm(bytes)
          expect((await shop.call('PUT', `${path}/replace`, { token: editor, form })).status).toBe(200)
        }
        return storage.open(key, range)
      },
    }
    const answer = await fetch(shop.url + path)
    const got = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, got.equals(bytes)]).toEqual([200, true])
  } finally {
    shop.deps.storage = storage
  }
})

test('stores one of several concurrent replacements and no object of the others', async () => {
  const { id, path } = await uploaded(await newImage())
  const all = await Promise.all(Array.from({ length: 5 }, () => newImage()))
  const answers = await Promise.all(
    all.map((bytes) => shop.call('PUT', `${path}/replace`, { token: editor, form: imageForm(bytes) })),
  )
  expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200))
  const got = Buffer.from(await (await fetch(shop.url + path)).arrayBuffer())
  expect(all.some((bytes) => bytes.equals(got))).toBe(true)
  const rows = await shop.deps.db.selectFrom('images').select(['id', 'storage_key']).execute()
  expect(rows).toEqual([{ id, storage_key: expect.any(String) }])
  const keys = (await Array.fromAsync(shop.deps.storage.list('images/'))).map(({ key }) => key)
  expect(keys).toEqual([`${rows[0]?.storage_key}/original`])
})
