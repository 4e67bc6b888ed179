import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateCatalogue } from '../../../demo/generate.ts'
import { getPipelineRun, startPipeline } from '../../../src/services/pipeline/runs.ts'
import { loginAs } from '../../support/accounts.ts'
import { feedXml, startFeedServer } from '../../support/feed-server.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

// The sync and the feed change the same products without overwriting each other's data.

const catalogue = generateCatalogue({ products: 20, seed: 11 })
let world: SupplierShop
let feed: Awaited<ReturnType<typeof startFeedServer>>
let admin: string

beforeAll(async () => {
  feed = await startFeedServer()
  world = await startSupplierShop({ XML_FEED_URL: feed.url }, catalogue)
  admin = await loginAs(world.shop, 'ADMIN')
  await world.sync()
})
afterAll(async () => {
  await world.close()
  await feed.close()
})

async function readFeed() {
  const { runId, finished } = await startPipeline(world.shop.deps)
  await finished
  return getPipelineRun(world.shop.deps, runId)
}
async function productOf(externalId: string) {
  const { id } = await world.shop.deps.db
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow()
  const { body } = await world.shop.call('GET', `/api/v1/products/${id}`)
  return { id, attributes: (body as { attributes: { name: string; value: string }[] }).attributes }
}
const full = async () => {
  await world.shop.deps.db.deleteFrom('sync_state').execute()
  return world.sync()
}
const [first] = [...catalogue.products].filter(({ active, stock, price }) => active && stock && price)
const sold = first ?? { id: '', attributes: [] }

test('keeps feed attributes after a sync, and shows them in lists and facets unless hidden', async () => {
  const named = sold.attributes[0]?.name ?? ''
  feed.serve(feedXml({ offers: [{ id: sold.id, params: { [named]: 'feed', 'Only fed': 'yes' } }] }))
  expect((await readFeed()).status).toBe('SUCCEEDED')
  const expected = [...sold.attributes, { name: 'Only fed', value: 'yes' }]
  expect((await productOf(sold.id)).attributes).toMatchObject(expected)
  expect((await full()).status).toBe('SUCCEEDED')
  const { id, attributes } = await productOf(sold.id)
  expect(attributes).toMatchObject(expected)

  const found = async (name: string, value: string) => {
    const query = `attr.${encodeURIComponent(name)}=${value}`
    const list = (await world.shop.call('GET', `/api/v1/products?${query}`)).body as {
      content: { id: number }[]
    }
    return list.content.map((product) => product.id)
  }
  expect(await found('Only fed', 'yes')).toEqual([id])
  expect(await found(named, 'feed')).toEqual([])
  const facets = (await world.shop.call('GET', '/api/v1/products/facets')).body as {
    attributes: { name: string; values: { value: string }[] }[]
  }
  const valuesOf = (name: string) =>
    facets.attributes.find((attribute) => attribute.name === name)?.values.map(({ value }) => value) ?? []
  expect(valuesOf(named)).not.toContain('feed')
})

test('skips a mapped category in the sync until it is unmapped', async () => {
  const { db } = world.shop.deps
  const theirs = [...catalogue.categories].find(({ parentId }) => parentId !== null)
  const category = () =>
    db
      .selectFrom('categories')
      .selectAll()
      .where('external_id', '=', theirs?.id ?? '')
      .executeTakeFirstOrThrow()
  const before = await category()
  feed.serve(feedXml({ categories: [{ id: '1', name: 'As the feed says' }] }))
  await readFeed()
  const path = '/api/v1/admin/xml-feed/category-mappings/1'
  await world.shop.call('PUT', path, { token: admin, body: { categoryId: before.id } })
  await full()
  expect(await category()).toMatchObject({ name: 'As the feed says', parent_id: null })
  await world.shop.call('DELETE', path, { token: admin })
  await full()
  expect(await category()).toMatchObject({
    name: before.name,
    parent_id: before.parent_id,
    category_locked_by_gbstore: false,
  })
})

test('reads the demo supplier’s feed of the products in its API', async () => {
  const text = await (await fetch(world.supplier.feedUrl)).text()
  feed.serve(text)
  await world.shop.deps.db.deleteFrom('gbstore_scrape_queue').execute()
  const run = await readFeed()
  const offers = [...catalogue.products].filter(({ active }) => active).length
  expect(run).toMatchObject({ status: 'SUCCEEDED' })
  const counts = Object.fromEntries(run.stages.map((stage) => [stage.stage, stage.counts]))
  expect(counts.PARSE).toMatchObject({ offers, skipped: 0, categories: catalogue.categories.size })
  expect(counts.ATTRIBUTES).toMatchObject({ matched: offers })
  expect(counts.IMAGE_QUEUE).toMatchObject({ queued: offers })
})
