import { afterAll, beforeAll, expect, test, vi } from 'vitest'
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

/** A product whose page shows one image. */
async function picturedProduct(answer: { status: number; before: (id: number) => Promise<unknown> }): Promise<number> {
  const { db } = shop.deps
  const id = await createProduct(db)
  const page_url = `${web.site}/p`
  await db.updateTable('products').set({ page_url }).where('id', '=', id).execute()
  web.paths.set('/p', '<div class="gallery"><img src="/a.png"></div>')
  const image = await newImage()
  web.paths.set('/a.png', async (_request, response) => {
    await answer.before(id)
    response.writeHead(answer.status, { 'content-type': 'image/png' }).end(image)
  })
  return id
}

test.each([200, 404])('a process that lost its claim records no image that was answered with %i', async (status) => {
  const { db } = shop.deps
  const id = await picturedProduct({ status, before: takeOver })
  const task = await enqueueProduct(shop.deps, id, {})
  await runScraping(shop.deps)
  expect(await db.selectFrom('product_images').selectAll().execute()).toEqual([])
  expect(await db.selectFrom('gbstore_image_download_log').selectAll().execute()).toEqual([])
  const rows = await db.selectFrom('gbstore_scrape_queue').selectAll().where('id', '=', task.id).execute()
  expect(rows).toMatchObject([{ status: 'IN_PROGRESS', attempts: 2, error_message: null }])
  await db.deleteFrom('gbstore_scrape_queue').execute()
})

test.each([200, 404])(
  'ends the task of a product deleted before an image that was answered with %i',
  async (status) => {
    const { db, log } = shop.deps
    const [info, error] = [vi.spyOn(log, 'info'), vi.spyOn(log, 'error')]
    const remove = (id: number) => db.deleteFrom('products').where('id', '=', id).execute()
    const productId = await picturedProduct({ status, before: remove })
    const { id: task } = await enqueueProduct(shop.deps, productId, {})
    await runScraping(shop.deps)
    const reason = 'The product was deleted, or another process has claimed the task'
    expect(info).toHaveBeenCalledWith({ task, productId, reason }, 'scrape task lost')
    expect(error).not.toHaveBeenCalled()
    expect(await db.selectFrom('gbstore_image_download_log').selectAll().execute()).toEqual([])
  },
)
