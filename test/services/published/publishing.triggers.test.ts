import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { ChangedId } from '../../../src/runtime/changes/changes.ts'
import type { ChangeKind } from '../../../src/runtime/changes/kinds.ts'
import { write } from '../../../src/runtime/write.ts'
import { rebuild, rebuildOutdated } from '../../../src/services/published/publishing.ts'
import { loginAs } from '../../support/accounts.ts'
import { createCategory, createProduct, markSynchronised } from '../../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

// Rebuilds of feed and sitemap after changes (docs/published.md).
let world: SupplierShop
let shop: TestShop
let other: TestShop

beforeAll(async () => {
  world = await startSupplierShop({ SITE_URL: 'https://shop.example' }, undefined, { publishes: true })
  shop = world.shop
  other = await startTestShop(
    { SITE_URL: 'https://shop.example' },
    { databaseUrl: shop.deps.config.databaseUrl, publishes: true },
  )
  await markSynchronised(shop.deps.db)
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await other.close()
  await world.close()
})

const FEED = '/api/v1/yml-catalog.xml'
const SITEMAP = '/sitemap.xml'

/** Records the instance's log lines about publications. */
function listen({ deps }: TestShop, level: 'info' | 'debug' = 'info'): () => string[] {
  const logged = vi.spyOn(deps.log, level)
  return () =>
    logged.mock.calls
      .map((line) => String(line.at(-1)))
      .filter((words) => /^(feed|google-merchant|sitemap) /.test(words))
}

const recordChange = (kind: ChangeKind, id: ChangedId) => write(shop.deps, async (tx) => tx.recordChange(kind, [id]))
const requested = async () => {
  const rows = await shop.deps.db.selectFrom('publication_requests').select('kind').orderBy('kind').execute()
  return rows.map(({ kind }) => kind)
}

test('removes a deactivated product from feed and sitemap with one rebuild for both instances', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  await createProduct(db, { slug: 'stays', categoryId, externalId: null })
  const goes = await createProduct(db, { slug: 'goes', categoryId, externalId: null })
  await rebuild(shop.deps, 'feed')
  await rebuild(shop.deps, 'sitemap')
  const seen = async (on: TestShop) => {
    const texts = [(await on.call('GET', FEED)).text, (await on.call('GET', SITEMAP)).text]
    return ['stays', 'goes'].map((slug) => texts.map((text) => text.includes(`/products/${slug}<`)))
  }
  const before = [
    [true, true],
    [true, true],
  ]
  for (const on of [shop, other]) await expect.poll(() => seen(on), SOON).toEqual(before)

  const [here, elsewhere] = [listen(shop), listen(other)]
  const token = await loginAs(shop, 'ADMIN')
  const { status } = await shop.call('PATCH', `/api/v1/products/${goes}`, { token, body: { active: false } })
  expect(status).toBe(200)
  await rebuildOutdated(shop.deps)
  const after = [
    [true, true],
    [false, false],
  ]
  for (const on of [shop, other]) await expect.poll(() => seen(on), SOON).toEqual(after)
  expect(here()).toEqual(['feed published', 'google-merchant published', 'sitemap published'])
  // The other instance received the change, but has nothing left to rebuild.
  await rebuildOutdated(other.deps)
  expect(elsewhere()).toEqual([])
})

test.each<[ChangeKind, ChangedId, string[]]>([
  ['product', 1, ['feed', 'google-merchant', 'sitemap']],
  ['category', 1, ['feed', 'google-merchant', 'sitemap']],
  ['brand', 1, ['feed', 'google-merchant']],
  ['image', 1, []],
  ['tag', 1, ['sitemap']],
  ['setting', 'delivery_price', ['feed', 'google-merchant', 'sitemap']],
  ['stock', 1, []],
  ['order', 1, []],
  ['review', 1, []],
  ['feed', 1, []],
  ['sitemap', 1, []],
])('rebuilds after a change of %s %s: %j', async (kind, id, expected) => {
  await shop.deps.db.deleteFrom('publication_requests').execute()
  await recordChange(kind, id)
  expect(await requested()).toEqual(expected)
})

test('rebuilds once after many changes in a row', async () => {
  await shop.deps.db.deleteFrom('publication_requests').execute()
  // Tags without products change nothing in it.
  const here = listen(shop, 'debug')
  await Promise.all(Array.from({ length: 10 }, (_, n) => recordChange('tag', n + 1)))
  await rebuildOutdated(shop.deps)
  expect(here()).toEqual(['sitemap unchanged'])
  expect(await requested()).toEqual([])
})

test('adds created tags to the sitemap', async () => {
  const token = await loginAs(shop, 'EDITOR')
  const { status } = await shop.call('POST', '/api/v1/tags', { token, body: { name: 'Sale', slug: 'sale' } })
  expect(status).toBe(201)
  await rebuildOutdated(shop.deps)
  for (const on of [shop, other]) {
    await expect
      .poll(async () => (await on.call('GET', SITEMAP)).text, SOON)
      .toContain('<loc>https://shop.example/tags/sale</loc>')
  }
})

test('rebuilds both at the end of a sync', async () => {
  const { catalogue } = world
  catalogue.upsertCategory({ id: 'c1', name: 'Дрели' })
  // Without products: hidden when they are read, which is a change of its own.
  catalogue.upsertCategory({ id: 'c2', name: 'Пилы' })
  for (let n = 0; n < 120; n++)
    catalogue.upsertProduct({ id: `p${n}`, name: `Дрель ${n}`, price: 100, stock: 1, categoryId: 'c1' })
  const [here, elsewhere] = [listen(shop), listen(other)]
  const run = await world.sync()
  expect(run).toMatchObject({ status: 'SUCCEEDED', feed: { status: 'PUBLISHED' } })
  expect(here().filter((line) => !line.startsWith('google-merchant'))).toEqual(['feed published', 'sitemap published'])
  expect(await requested()).toEqual([])
  for (const on of [shop, other]) {
    await expect.poll(async () => (await on.call('GET', SITEMAP)).text, SOON).toContain('/products/drel-119<')
  }
  expect(elsewhere()).toEqual([])

  // Nothing has changed since, which isn't worth a line.
  const before = here()
  const quietly = listen(shop, 'debug')
  await world.sync()
  expect(quietly()).toEqual(['feed unchanged', 'google-merchant unchanged', 'sitemap unchanged'])
  expect(here()).toEqual(before)
})
