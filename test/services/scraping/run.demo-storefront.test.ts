import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateCatalogue } from '../../../demo/generate.ts'
import { pictureUrls } from '../../../demo/product-page.ts'
import { enqueueImageless } from '../../../src/services/scraping/queue.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

const PRODUCTS = 8

let world: SupplierShop

beforeAll(async () => {
  const catalogue = generateCatalogue({ products: PRODUCTS })
  world = await startSupplierShop(
    {
      GBSTORE_SCRAPING_ALLOWED_HOSTS: '127.0.0.1',
      GBSTORE_SCRAPING_DELAY_MS: '0',
      GBSTORE_SCRAPING_BATCH_SIZE: '25',
    },
    catalogue,
  )
  await world.sync()
})
afterAll(() => world.close())

test('scrapes every active product of the demo storefront with its images in order', async () => {
  const { deps } = world.shop
  const { enqueued } = await enqueueImageless(deps)
  await runScraping(deps)
  const products = await deps.db.selectFrom('products').select(['id', 'external_id', 'active']).execute()
  const links = await deps.db
    .selectFrom('product_images as l')
    .leftJoin('gbstore_image_download_log as d', (join) =>
      join.onRef('d.product_id', '=', 'l.product_id').onRef('d.image_id', '=', 'l.image_id'),
    )
    .select(['l.product_id', 'd.image_url'])
    .orderBy('l.product_id')
    .orderBy('l.display_order')
    .execute()
  const shown = (id: number) => links.filter((link) => link.product_id === id).map((link) => link.image_url)
  for (const { id, external_id, active } of products) {
    const product = world.catalogue.products.get(external_id ?? '')
    if (product === undefined) throw new Error(`the supplier has no ${external_id}`)
    expect(shown(id)).toEqual(active ? pictureUrls(product, world.supplier.siteUrl) : [])
  }
  const statuses = await deps.db.selectFrom('gbstore_scrape_queue').select('status').execute()
  expect(statuses).toHaveLength(enqueued)
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set(['DONE']))
  expect(links.length).toBeGreaterThan(PRODUCTS)
  const failed = await deps.db
    .selectFrom('gbstore_image_download_log')
    .select('id')
    .where('status', '=', 'FAILED')
    .execute()
  expect(failed).toEqual([])
})
