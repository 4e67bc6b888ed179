import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ImageDownload, ScrapeTask } from '../../../src/schemas/scraping.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { loginAs } from '../../support/accounts.ts'
import { createImage, createProduct } from '../../support/factories.ts'
import { newImage } from '../../support/images.ts'
import { untilWaiting } from '../../support/locks.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type ScriptedStorefront, startStorefront } from '../../support/storefront.ts'

const QUEUE = '/api/v1/admin/scrape-queue'

let shop: TestShop
let web: ScriptedStorefront
let token: string

beforeAll(async () => {
  web = await startStorefront()
  shop = await startTestShop({ GBSTORE_SCRAPING_ALLOWED_HOSTS: web.host, GBSTORE_SCRAPING_DELAY_MS: '0' })
  token = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await shop.close()
  await web.close()
})
beforeEach(async () => {
  const { db } = shop.deps
  await db.deleteFrom('products').execute()
  await db.deleteFrom('gbstore_scrape_queue').execute()
  web.paths.clear()
})

const call = (method: string, path: string, body?: unknown) =>
  shop.call(method, QUEUE + path, { token, ...(body === undefined ? {} : { body }) })
const product = (name?: string) => createProduct(shop.deps.db, name === undefined ? {} : { name })
const setStatus = (id: number, status: 'PENDING' | 'IN_PROGRESS' | 'DONE' | 'FAILED') =>
  shop.deps.db
    .updateTable('gbstore_scrape_queue')
    .set({
      status,
      attempts: 3,
      leased_until: status === 'IN_PROGRESS' ? new Date(Date.now() + 60_000) : null,
    })
    .where('id', '=', id)
    .execute()
async function enqueue(productId: number, body?: unknown): Promise<ScrapeTask> {
  const answer = await call('POST', `/product/${productId}/enqueue`, body)
  expect(answer.status).toBe(202)
  return answer.body as ScrapeTask
}

test('enqueues a product once, with the latest page URL', async () => {
  const id = await product('Чайник')
  const first = await enqueue(id)
  expect(first).toMatchObject({
    productId: id,
    productName: 'Чайник',
    productPageUrl: null,
    status: 'PENDING',
    attempts: 0,
  })
  const second = await enqueue(id, { pageUrl: 'https://shop.example/p/1' })
  expect(second).toMatchObject({ id: first.id, productPageUrl: 'https://shop.example/p/1' })
  expect(await enqueue(id, {})).toMatchObject({ id: first.id, productPageUrl: 'https://shop.example/p/1' })
  await setStatus(first.id, 'IN_PROGRESS')
  expect(await enqueue(id)).toMatchObject({ id: first.id, status: 'IN_PROGRESS', attempts: 3 })
  const refused = await call('POST', `/product/${id}/enqueue`, { pageUrl: 'https://shop.example/p/2' })
  expect([refused.status, refused.body]).toMatchObject([409, { code: 'SCRAPE_ACTIVE' }])
  await setStatus(first.id, 'DONE')
  expect((await enqueue(id)).id).not.toBe(first.id)
})

test('creates one task for twenty concurrent requests', async () => {
  const id = await product()
  const tasks = await Promise.all(Array.from({ length: 20 }, () => enqueue(id)))
  expect(new Set(tasks.map((task) => task.id)).size).toBe(1)
})

test.each([
  ['/product/0/enqueue', {}, 404],
  ['/product/2147483647/enqueue', {}, 404],
  ['/product/99999999999/enqueue', {}, 404],
  ['/product/abc/enqueue', {}, 400],
  ['/999999/retry', undefined, 404],
  ['/image-log/999999/retry', undefined, 404],
])('POST %s of %j is a %s', async (path, body, status) => {
  expect((await call('POST', path, body)).status).toBe(status)
})

test.each([
  'ftp://a.example/',
  'nonsense',
  'http://',
  '',
  'http://a b/',
  `http://a.example/${'x'.repeat(3000)}`,
  'http://a\0b/',
  7,
  [],
])('rejects the pageUrl %j with 400', async (pageUrl) => {
  const id = await product()
  expect((await call('POST', `/product/${id}/enqueue`, { pageUrl })).status).toBe(400)
})

test('lists tasks in pages, filtered and searched', async () => {
  const kettle = await product('Чайник 100% «Ёлка»')
  const lamp = await product('Лампа')
  const first = await enqueue(kettle)
  const second = await enqueue(lamp, { pageUrl: 'https://shop.example/p/Lamp_7' })
  await setStatus(second.id, 'FAILED')
  const ids = async (query: string) => {
    const { status, body } = await call('GET', query)
    expect(status).toBe(200)
    return (body as { content: ScrapeTask[] }).content.map((task) => task.id)
  }
  expect(await ids('')).toEqual([second.id, first.id])
  expect(await ids('?size=1&page=1')).toEqual([first.id])
  expect(await ids('?status=FAILED')).toEqual([second.id])
  expect(await ids('?search=lamp_')).toEqual([second.id])
  expect(await ids(`?search=${encodeURIComponent('100% «ёлка')}`)).toEqual([first.id])
  expect(await ids(`?search=${encodeURIComponent('%')}`)).toEqual([first.id])
  expect((await call('GET', '?status=LATER')).status).toBe(400)
  expect((await call('GET', '/stats')).body).toEqual({ PENDING: 1, IN_PROGRESS: 0, DONE: 0, FAILED: 1 })
})

test('retries a finished task, but not one in progress', async () => {
  const id = await product()
  const task = await enqueue(id)
  for (const status of ['FAILED', 'DONE', 'PENDING'] as const) {
    await setStatus(task.id, status)
    const answer = await call('POST', `/${task.id}/retry`)
    expect([answer.status, answer.body]).toMatchObject([202, { id: task.id, status: 'PENDING', attempts: 0 }])
  }
  await setStatus(task.id, 'IN_PROGRESS')
  expect((await call('POST', `/${task.id}/retry`)).body).toMatchObject({ code: 'SCRAPE_ACTIVE' })
  await setStatus(task.id, 'FAILED')
  await enqueue(id)
  expect((await call('POST', `/${task.id}/retry`)).body).toMatchObject({ code: 'SCRAPE_ACTIVE' })
  expect((await call('POST', '/retry-failed')).body).toEqual({ enqueued: 0 })
  const other = await enqueue(await product())
  await setStatus(other.id, 'FAILED')
  expect((await call('POST', '/retry-failed')).body).toEqual({ enqueued: 1 })
})

test('enqueues active products without images once', async () => {
  const { db } = shop.deps
  const [bare, waiting, shown] = [await product(), await product(), await product()]
  await createProduct(db, { supplierActive: false })
  await enqueue(waiting)
  const image = await createImage(shop.deps.db)
  await db.insertInto('product_images').values({ product_id: shown, image_id: image, display_order: 0 }).execute()
  expect((await call('POST', '/enqueue-active-without-images')).body).toEqual({ enqueued: 1 })
  expect((await call('POST', '/enqueue-active-without-images')).body).toEqual({ enqueued: 0 })
  expect((await call('GET', `/product/${bare}`)).body).toMatchObject({ task: { status: 'PENDING' } })
})

test('shows the scraping state and the log of a product', async () => {
  const id = await product('Чайник')
  web.paths.set('/p', '<div class="gallery"><img src="/a.png"><img src="/b.png"></div>')
  web.paths.set('/a.png', await newImage())
  expect((await call('GET', `/product/${id}`)).body).toEqual({
    productId: id,
    productName: 'Чайник',
    pageUrl: null,
    task: null,
    images: { SUCCESS: 0, FAILED: 0 },
  })
  await enqueue(id, { pageUrl: `${web.site}/p` })
  await runScraping(shop.deps)
  expect((await call('GET', `/product/${id}`)).body).toMatchObject({
    task: { status: 'DONE', errorMessage: '1 of 2 images failed: see the image log', nextAttemptAt: null },
    images: { SUCCESS: 1, FAILED: 1 },
  })
  const log = (await call('GET', `/product/${id}/image-log`)).body as ImageDownload[]
  expect(log).toMatchObject([
    {
      imageUrl: `${web.site}/a.png`,
      status: 'SUCCESS',
      attempts: 1,
      errorMessage: null,
      imageId: expect.any(Number),
    },
    {
      imageUrl: `${web.site}/b.png`,
      status: 'FAILED',
      errorMessage: 'The server answered 404',
      imageId: null,
    },
  ])
  expect((await call('GET', '/image-log?status=FAILED&search=B.PNG')).body).toMatchObject({
    totalElements: 1,
    content: [{ productName: 'Чайник' }],
  })
  expect((await call('GET', '/image-log/stats')).body).toEqual({ SUCCESS: 1, FAILED: 1 })
  expect((await call('GET', '/product/999999/image-log')).status).toBe(404)
  expect((await call('GET', '/product/999999')).status).toBe(404)

  web.paths.set('/b.png', await newImage())
  const failed = log.find(({ status }) => status === 'FAILED')
  const retried = await call('POST', `/image-log/${failed?.id}/retry`)
  expect([retried.status, retried.body]).toMatchObject([202, { id: failed?.id, status: 'FAILED' }])
  await runScraping(shop.deps)
  expect((await call('GET', '/image-log/stats')).body).toEqual({ SUCCESS: 2, FAILED: 0 })
  expect((await call('POST', '/image-log/retry-failed')).body).toEqual({ enqueued: 0 })
})

test('adds an image retry to the pending task and rejects it while one is in progress', async () => {
  const id = await product()
  await shop.deps.db
    .insertInto('gbstore_image_download_log')
    .values(
      [1, 2].map((n) => ({
        product_id: id,
        image_url: `${web.site}/${n}.png`,
        status: 'FAILED' as const,
        position: n,
      })),
    )
    .execute()
  const task = await enqueue(id)
  expect((await call('POST', '/image-log/retry-failed')).body).toEqual({ enqueued: 2 })
  const [waiting] = ((await call('GET', '')).body as { content: ScrapeTask[] }).content
  expect(waiting).toMatchObject({
    id: task.id,
    readsPage: true,
    imageUrls: [`${web.site}/1.png`, `${web.site}/2.png`],
  })
  await setStatus(task.id, 'IN_PROGRESS')
  expect((await call('POST', '/image-log/retry-failed')).body).toEqual({ enqueued: 0 })
  const [entry] = (await call('GET', `/product/${id}/image-log`)).body as ImageDownload[]
  expect((await call('POST', `/image-log/${entry?.id}/retry`)).body).toMatchObject({ code: 'SCRAPE_ACTIVE' })
})

test('backfills the log once, and rejects a retry of uploaded images', async () => {
  const id = await product()
  const image = await createImage(shop.deps.db)
  await shop.deps.db
    .insertInto('product_images')
    .values({ product_id: id, image_id: image, display_order: 0 })
    .execute()
  expect((await call('POST', '/image-log/backfill')).body).toEqual({ added: 1 })
  expect((await call('POST', '/image-log/backfill')).body).toEqual({ added: 0 })
  const log = (await call('GET', `/product/${id}/image-log`)).body as ImageDownload[]
  expect(log).toMatchObject([{ imageUrl: `/api/v1/images/${image}`, status: 'SUCCESS', attempts: 0, imageId: image }])
  expect((await call('POST', `/image-log/${log[0]?.id}/retry`)).body).toMatchObject({
    code: 'NOT_DOWNLOADED',
  })
})

test('skips products that are deleted meanwhile', async () => {
  const { db } = shop.deps
  for (const [path, body] of [
    ['/image-log/retry-failed', { enqueued: 1 }],
    ['/enqueue-active-without-images', { enqueued: 1 }],
    ['/image-log/backfill', { added: 1 }],
  ] as const) {
    await db.deleteFrom('products').execute()
    const ids = [await product(), await product()]
    for (const [n, id] of ids.entries()) {
      if (path === '/image-log/backfill') {
        const link = { product_id: id, image_id: await createImage(shop.deps.db), display_order: 0 }
        await db.insertInto('product_images').values(link).execute()
      } else if (path !== '/enqueue-active-without-images') {
        const failed = { product_id: id, image_url: `${web.site}/${n}.png`, status: 'FAILED' as const }
        await db.insertInto('gbstore_image_download_log').values(failed).execute()
      }
    }
    const answer = await db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom('products')
        .where('id', '=', ids[0] ?? 0)
        .execute()
      const waiting = call('POST', path)
      await untilWaiting(db)
      return { waiting }
    })
    expect([path, (await answer.waiting).body]).toEqual([path, body])
  }
})
