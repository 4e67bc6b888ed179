import { afterAll, beforeAll, expect, test } from 'vitest'
import { enqueueProduct } from '../../../src/services/scraping/queue.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { createProduct } from '../../support/factories.ts'
import { newImage } from '../../support/images.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type ScriptedStorefront, startStorefront } from '../../support/storefront.ts'

// A process that was paused for longer than its lease doesn't notice that another one has claimed its tasks.
let shop: TestShop
let web: ScriptedStorefront

beforeAll(async () => {
  shop = await startTestShop({ GBSTORE_SCRAPING_ALLOWED_HOSTS: '127.0.0.1', GBSTORE_SCRAPING_DELAY_MS: '0' })
  web = await startStorefront()
})
afterAll(async () => {
  await shop.close()
  await web.close()
})

/** Another process claims all tasks. */
const takeOver = () =>
  shop.deps.db
    .updateTable('gbstore_scrape_queue')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .execute()

test.each([200, 404])('a process that lost its claim records no image that was answered with %i', async (status) => {
  const { db } = shop.deps
  const id = await createProduct(db)
  await db
    .updateTable('products')
    .set({ page_url: `${web.site}/p` })
    .where('id', '=', id)
    .execute()
  web.paths.set('/p', '<div class="gallery"><img src="/a.png"></div>')
  const image = await newImage()
  web.paths.set('/a.png', async (_request, response) => {
    await takeOver()
    response.writeHead(status, { 'content-type': 'image/png' }).end(image)
  })
  const task = await enqueueProduct(shop.deps, id, {})
  await runScraping(shop.deps)
  expect(await db.selectFrom('product_images').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('gbstore_image_download_log').selectAll().execute()).toEqual([])
  const rows = await db.selectFrom('gbstore_scrape_queue').selectAll().where('id', '=', task.id).execute()
  expect(rows).toMatchObject([{ status: 'IN_PROGRESS', attempts: 2, error_message: null }])
  await db.deleteFrom('gbstore_scrape_queue').execute()
})
