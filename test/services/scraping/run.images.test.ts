import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { listDownloadsOfProduct } from '../../../db/queries/scraping/downloads.ts'
import {
  enqueueProduct,
  importImages,
  retryFailedDownloads,
  retryImageDownload,
} from '../../../src/services/scraping/queue.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { createImage, createProduct } from '../../support/factories.ts'
import { newImage } from '../../support/images.ts'
import { galleryPage, type ScrapedShop, startScrapedShop } from '../../support/scraping.ts'

const ADMIN = { id: null, email: null, name: 'Test', role: 'ADMIN' as const }

// Which images of a page become those of its product.
let world: ScrapedShop

beforeAll(async () => {
  world = await startScrapedShop()
})
afterAll(() => world.close())
afterEach(() => world.startOver())

async function override(productId: number, mode: 'REPLACE' | 'APPEND', ...paths: string[]): Promise<void> {
  for (const path of paths) if (!world.web.paths.has(path)) world.web.paths.set(path, await newImage())
  await world.shop.deps.db
    .insertInto('product_image_overrides')
    .values({ product_id: productId, mode, urls: paths.map((path) => world.web.site + path) })
    .onConflict((on) =>
      on.column('product_id').doUpdateSet((eb) => ({ mode: eb.ref('excluded.mode'), urls: eb.ref('excluded.urls') })),
    )
    .execute()
}

test('stores, links in page order and logs images', async () => {
  const id = await world.pictured('a.png', 'b.png', 'c.png')
  const task = await world.scrape(id)
  expect(task).toMatchObject({ status: 'DONE', attempts: 1, error_message: null, leased_until: null })
  expect(await world.shown(id)).toEqual(['/a.png', '/b.png', '/c.png'])
  expect(await world.logOf(id)).toEqual(
    ['a', 'b', 'c'].map((name) => ({
      image_url: `${world.web.site}/${name}.png`,
      status: 'SUCCESS',
      attempts: 1,
      error_message: null,
    })),
  )
  const answer = await world.shop.call('GET', `/api/v1/products/${id}`)
  expect(answer.body).toMatchObject({
    images: [{ displayOrder: 0 }, { displayOrder: 1 }, { displayOrder: 2 }],
  })
})

test('logs the reason for a broken image and stores the others', async () => {
  const id = await world.pictured('a.png', 'html.png', 'empty.png', 'cut.png', 'gone.png', 'private.png', 'z.png')
  const whole = await newImage({ width: 300, height: 300 })
  world.web.paths.set('/html.png', '<h1>Заходите позже</h1>')
  world.web.paths.set('/empty.png', Buffer.alloc(0))
  world.web.paths.set('/cut.png', whole.subarray(0, whole.length / 2))
  world.web.paths.set('/gone.png', 404)
  world.web.paths.set('/private.png', (_, response) =>
    response.writeHead(302, { location: 'http://10.0.0.1/x.png' }).end(),
  )
  const task = await world.scrape(id)
  expect(task).toMatchObject({ status: 'DONE', error_message: '5 of 7 images failed: see the image log' })
  expect(await world.shown(id)).toEqual(['/a.png', '/z.png'])
  const reasons = (await world.logOf(id)).map(({ status, error_message }) => `${status} ${error_message ?? ''}`.trim())
  expect(reasons).toEqual([
    'SUCCESS',
    expect.stringMatching(/^FAILED The file is not a JPEG/),
    'FAILED The response is empty',
    expect.stringMatching(/^FAILED The image is damaged/),
    'FAILED The server answered 404',
    'FAILED The address is private or not on the public internet',
    'SUCCESS',
  ])
})

test('stores equal bytes once for all URLs and products', async () => {
  const first = await world.pictured('a.png', 'b.png')
  const bytes = await newImage()
  for (const path of ['/a.png', '/b.png', '/other.png']) world.web.paths.set(path, bytes)
  await world.scrape(first)
  const second = await world.pictured()
  world.web.paths.set(`/p/${second}`, galleryPage('/other.png'))
  await world.scrape(second)
  const images = await world.shop.deps.db
    .selectFrom('product_images')
    .select('image_id')
    .where('product_id', 'in', [first, second])
    .execute()
  expect(images).toHaveLength(2)
  expect(new Set(images.map(({ image_id }) => image_id)).size).toBe(1)
})

test('downloads no image twice', async () => {
  const id = await world.pictured('a.png', 'b.png')
  await world.scrape(id)
  const before = await world.logOf(id)
  world.web.asked.length = 0
  await world.scrape(id)
  expect(world.web.asked).toEqual([`/p/${id}`])
  expect([await world.shown(id), await world.logOf(id)]).toEqual([['/a.png', '/b.png'], before])
  const tasks = await world.shop.deps.db
    .selectFrom('gbstore_scrape_queue')
    .select('id')
    .where('product_id', '=', id)
    .execute()
  expect(tasks).toHaveLength(1)
})

test('keeps images linked by staff first, and those they unlinked away', async () => {
  const id = await world.pictured('a.png', 'b.png')
  const { db } = world.shop.deps
  const own = await createImage(db, { productId: id, displayOrder: 7 })
  await world.scrape(id)
  expect(await world.shown(id)).toEqual([own, '/a.png', '/b.png'])
  const [a] = await listDownloadsOfProduct(db, id)
  await db
    .deleteFrom('product_images')
    .where('product_id', '=', id)
    .where('image_id', '=', a?.image_id ?? 0)
    .execute()
  await world.scrape(id)
  expect(await world.shown(id)).toEqual([own, '/b.png'])
  const orders = await db.selectFrom('product_images').select('display_order').where('image_id', '=', own).execute()
  expect(orders).toEqual([{ display_order: 7 }])
})

test('unlinks the page’s images with REPLACE, and appends with APPEND', async () => {
  const id = await world.pictured('a.png', 'b.png')
  await world.scrape(id)
  await override(id, 'REPLACE', '/own1.png', '/own2.png')
  world.web.asked.length = 0
  await world.scrape(id)
  expect(world.web.asked).toEqual(['/own1.png', '/own2.png'])
  expect(await world.shown(id)).toEqual(['/own1.png', '/own2.png'])
  await override(id, 'APPEND', '/more.png')
  const fresh = await world.pictured('c.png', 'd.png')
  await override(fresh, 'APPEND', '/more2.png')
  await world.scrape(fresh)
  expect(await world.shown(fresh)).toEqual(['/c.png', '/d.png', '/more2.png'])
})

test('keeps the images when all URLs of a REPLACE fail', async () => {
  const id = await world.pictured('a.png')
  await world.scrape(id)
  await override(id, 'REPLACE', '/own.png')
  world.web.paths.set('/own.png', 404)
  expect(await world.scrape(id)).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringContaining('None of 1 images'),
  })
  expect(await world.shown(id)).toEqual(['/a.png'])
})

test('an import beside a REPLACE unlinks nothing, and is not unlinked', async () => {
  const id = await world.pictured('a.png')
  await world.scrape(id)
  await override(id, 'REPLACE', '/own.png')
  world.web.paths.set('/own.png', 404)
  world.web.paths.set('/hand.png', await newImage())
  await enqueueProduct(world.shop.deps, id, {})
  await importImages(world.shop.deps, ADMIN, { productId: id, urls: [`${world.web.site}/hand.png`] })
  await runScraping(world.shop.deps)
  expect(await world.shown(id)).toEqual(['/a.png', '/hand.png'])
  world.web.paths.set('/own.png', await newImage())
  await enqueueProduct(world.shop.deps, id, {})
  await importImages(world.shop.deps, ADMIN, { productId: id, urls: [`${world.web.site}/hand.png`] })
  await runScraping(world.shop.deps)
  expect((await world.shown(id)).toSorted()).toEqual(['/hand.png', '/own.png'])
})

test('prefers the page of the task, the supplier, then the feed, and falls back to the feed’s pictures', async () => {
  const { db } = world.shop.deps
  const id = await world.pictured('a.png')
  world.web.paths.set('/feed', galleryPage('/feed.png'))
  world.web.paths.set('/feed.png', await newImage())
  world.web.paths.set('/own', galleryPage('/own.png'))
  world.web.paths.set('/own.png', await newImage())
  await db
    .insertInto('product_feed_data')
    .values({ product_id: id, page_url: `${world.web.site}/feed`, pictures: [] })
    .execute()
  await world.scrape(id, `${world.web.site}/own`)
  expect(await world.shown(id)).toEqual(['/own.png'])
  await world.scrape(id)
  expect((await world.shown(id)).toSorted()).toEqual(['/a.png', '/own.png'])
  await world.setPage(id, null)
  await world.scrape(id)
  expect((await world.shown(id)).toSorted()).toEqual(['/a.png', '/feed.png', '/own.png'])
  const none = await createProduct(db)
  expect(await world.scrape(none)).toMatchObject({
    status: 'FAILED',
    attempts: 1,
    error_message: expect.stringMatching(/^No page URL is known/),
  })
  const pictures = [`${world.web.site}/a.png`, `${world.web.site}/own.png`]
  await db.insertInto('product_feed_data').values({ product_id: none, page_url: null, pictures }).execute()
  expect(await world.scrape(none)).toMatchObject({ status: 'DONE' })
  expect(await world.shown(none)).toEqual(['/a.png', '/own.png'])
})

test('retries failed images and links them at their place on the page', async () => {
  const id = await world.pictured('a.png', 'b.png', 'c.png')
  world.web.paths.set('/b.png', 404)
  await world.scrape(id)
  world.web.paths.set('/b.png', await newImage())
  expect(await retryFailedDownloads(world.shop.deps)).toEqual({ enqueued: 1 })
  world.web.asked.length = 0
  await runScraping(world.shop.deps)
  expect(world.web.asked).toEqual(['/b.png'])
  expect(await world.shown(id)).toEqual(['/a.png', '/b.png', '/c.png'])
  expect((await world.logOf(id)).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['SUCCESS', 1],
    ['SUCCESS', 2],
    ['SUCCESS', 1],
  ])
})

test('replaces an image by its repeated download, at the place that staff gave it', async () => {
  const id = await world.pictured('a.png', 'b.png')
  await world.scrape(id)
  const { db } = world.shop.deps
  const before = await listDownloadsOfProduct(db, id)
  await db
    .updateTable('product_images')
    .set((eb) => ({ display_order: eb('display_order', '*', -1) }))
    .execute()
  expect(await world.shown(id)).toEqual(['/b.png', '/a.png'])
  world.web.paths.set('/b.png', await newImage())
  const entry = await db
    .selectFrom('gbstore_image_download_log')
    .select('id')
    .where('image_url', '=', `${world.web.site}/b.png`)
    .executeTakeFirstOrThrow()
  await retryImageDownload(world.shop.deps, entry.id)
  await runScraping(world.shop.deps)
  expect(await world.shown(id)).toEqual(['/b.png', '/a.png'])
  const after = await listDownloadsOfProduct(db, id)
  expect(after.map(({ image_id }) => image_id)).not.toEqual(before.map(({ image_id }) => image_id))
})

test('appends imported images without reading the page', async () => {
  const id = await world.pictured('a.png')
  await world.scrape(id)
  await world.setPage(id, null)
  world.web.paths.set('/hand.png', await newImage())
  await importImages(world.shop.deps, ADMIN, {
    productId: id,
    urls: [`${world.web.site}/hand.png`, `${world.web.site}/gone.png`],
  })
  await runScraping(world.shop.deps)
  expect(await world.shown(id)).toEqual(['/a.png', '/hand.png'])
  expect((await world.logOf(id)).map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS', 'FAILED'])
})
