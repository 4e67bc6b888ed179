import { XMLValidator } from 'fast-xml-parser'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { rebuild, runFeedRebuild } from '../../../src/services/published/publishing.ts'
import { createBrand, createCategory, createProduct, markSynchronised } from '../../support/factories.ts'
import { emptyCatalogue } from '../../support/publications.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: 'https://shop.example', SHOP_TIME_ZONE: 'Europe/Moscow' }, { publishes: true })
  await markSynchronised(shop.deps.db)
})
beforeEach(async () => {
  await emptyCatalogue(shop)
  for (const [key, value] of Object.entries({
    delivery_price: '',
    delivery_days: '',
    feed_min_offers_percent: '50',
  })) {
    await setting(key, value)
  }
})
afterAll(() => shop.close())

const FEED = '/api/v1/yml-catalog.xml'
const fetchFeed = async (): Promise<string> => (await shop.call('GET', FEED)).text
const setting = (key: string, value: string) =>
  shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', key).executeTakeFirstOrThrow()

function offersOf(feed: string): number[] {
  expect(XMLValidator.validate(feed)).toBe(true)
  return [...feed.matchAll(/<offer id="(\d+)"/g)].map((match) => Number(match[1]))
}

test('offers are the active products with a price in visible categories; the others are counted by reason', async () => {
  const { db } = shop.deps
  const open = await createCategory(db)
  const hidden = await createCategory(db, { enabled: false })
  const belowHidden = await createCategory(db, { parentId: hidden })
  const autoHidden = await createCategory(db, { autoHidden: true })
  const forSale = await createProduct(db, { categoryId: open, price: '100.00', sitePrice: '90.50' })
  const dearer = await createProduct(db, { categoryId: open, price: '100.00', sitePrice: '110.00', stock: 0 })
  const revived = await createProduct(db, { categoryId: open, supplierActive: false, activeOverride: true })
  await createProduct(db, { categoryId: open, supplierActive: false, price: null })
  await createProduct(db, { categoryId: open, activeOverride: false })
  await createProduct(db, { categoryId: hidden, price: null })
  await createProduct(db, { categoryId: open, price: '0' })
  await createProduct(db, { categoryId: open, price: '5.00', sitePrice: '0' })
  await createProduct(db, { categoryId: null })
  for (const categoryId of [hidden, belowHidden, autoHidden]) await createProduct(db, { categoryId })
  await createProduct(db, { categoryId: open, name: ' \u0001 ' })

  expect(await rebuild(shop.deps, 'feed')).toEqual({
    status: 'PUBLISHED',
    entries: 3,
    excluded: { INACTIVE: 2, NO_PRICE: 3, NO_CATEGORY: 1, HIDDEN_CATEGORY: 3, NO_NAME: 1 },
    reason: null,
    durationMs: expect.any(Number),
  })
  const feed = await fetchFeed()
  expect(offersOf(feed)).toEqual([forSale, dearer, revived])
  expect(feed).toContain(`<offer id="${forSale}" available="true">`)
  expect(feed).toContain('<price>90.50</price><oldprice>100.00</oldprice>')
  expect(feed).toContain(`<offer id="${dearer}" available="false">`)
  expect(feed).toContain('<price>110.00</price><currencyId>')
  expect([...feed.matchAll(/<category id="(\d+)"/g)].map((match) => Number(match[1]))).toEqual([open])
})

test('excludes deactivated products and hidden categories', async () => {
  const { db } = shop.deps
  const [first, second] = [await createCategory(db), await createCategory(db)]
  const stays = await createProduct(db, { categoryId: first })
  const goes = await createProduct(db, { categoryId: first })
  const goesToo = await createProduct(db, { categoryId: second })
  await setting('feed_min_offers_percent', '0')
  await rebuild(shop.deps, 'feed')
  expect(offersOf(await fetchFeed())).toEqual([stays, goes, goesToo])
  await db.updateTable('products').set({ active_override: false }).where('id', '=', goes).execute()
  await db.updateTable('categories').set({ enabled: false }).where('id', '=', second).execute()
  await rebuild(shop.deps, 'feed')
  expect(offersOf(await fetchFeed())).toEqual([stays])
})

test('lists at most ten images in order, and prefers manual attributes', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  const id = await createProduct(db, {
    categoryId,
    brandId: await createBrand(db, 'Вектор & Co'),
    description: `<p>${'Очень мощный инструмент. '.repeat(500)}</p>`,
    attributes: [
      { name: 'Цвет', value: 'from the supplier' },
      { name: 'Вес', value: '2 кг' },
      { name: 'Цвет', value: 'by hand', source: 'MANUAL' },
    ],
  })
  await sql`insert into images (storage_key, file_name, content_type, size, width, height, sha256)
    select n::text, 'f', 'image/png', 1, 1, 1, '' from generate_series(1, 12) n`.execute(db)
  await sql`insert into product_images select ${id}::int, id, -id from images`.execute(db)
  await rebuild(shop.deps, 'feed')
  const text = await fetchFeed()
  expect([...text.matchAll(/images\/(\d+)\?v=\w*<\/picture>/g)].map((match) => match[1])).toEqual(
    '12 11 10 9 8 7 6 5 4 3'.split(' '),
  )
  expect([...text.matchAll(/<param name="(.*?)">(.*?)<\/param>/g)].map((match) => match.slice(1))).toEqual([
    ['Цвет', 'by hand'],
    ['Вес', '2 кг'],
  ])
  expect(text).toContain('<vendor>Вектор &amp; Co</vendor>')
  expect(/<description>(.*)<\/description>/.exec(text)?.[1]?.length).toBeLessThanOrEqual(3000)
})

test('lists the parents of all categories despite a cycle and a missing parent', async () => {
  const { db } = shop.deps
  const a = await createCategory(db)
  const b = await createCategory(db, { parentId: a })
  const c = await createCategory(db, { parentId: b })
  await db.updateTable('categories').set({ parent_id: c }).where('id', '=', a).execute()
  await createProduct(db, { categoryId: c })
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED', entries: 1 })
  const text = await fetchFeed()
  expect(text).toContain(`<category id="${a}">`)
  expect(text).toContain(`<category id="${c}" parentId="${b}">`)
})

test('applies settings, and does not publish a feed that differs only in its date', async () => {
  const { db } = shop.deps
  await createProduct(db, { categoryId: await createCategory(db) })
  await setting('delivery_price', '300')
  await setting('delivery_days', '1-3')
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED' })
  const before = await shop.call('GET', FEED)
  expect(before.text).toContain('<delivery-options><option cost="300" days="1-3"/></delivery-options>')
  expect(before.text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<yml_catalog date="[\dT:-]{19}\+03:00">/)

  expect(await rebuild(shop.deps, 'feed')).toMatchObject({
    status: 'UNCHANGED',
    entries: 1,
    reason: expect.any(String),
  })
  const same = await shop.call('GET', FEED)
  expect([same.text, same.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')])

  await setting('delivery_price', '400')
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED' })
  const after = await shop.call('GET', FEED)
  expect(after.text).toContain('cost="400"')
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  // Two feeds within a second: Last-Modified has whole seconds and must differ.
  const modified = [before, after].map((answer) => Date.parse(answer.headers.get('last-modified') ?? ''))
  expect(modified[1]).toBeGreaterThan(modified[0] ?? 0)
})

test('rejects a feed that lost more than half of its offers until the setting is lowered', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  for (let n = 0; n < 10; n++) await createProduct(db, { categoryId })
  await rebuild(shop.deps, 'feed')
  const good = await fetchFeed()
  await sql`update products set active_override = false where id in (select id from products order by id limit 6)`.execute(
    db,
  )
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({
    status: 'REJECTED',
    entries: 4,
    excluded: { INACTIVE: 6 },
    reason: expect.stringContaining('4 offers are fewer than 50 % of the 10'),
  })
  expect(await fetchFeed()).toBe(good)
  await setting('feed_min_offers_percent', '40')
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED', entries: 4 })
  expect(offersOf(await fetchFeed())).toHaveLength(4)
})

test('the job rebuilds every feed, and fails with the reason of a rejected one', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  for (let n = 0; n < 4; n++) await createProduct(db, { categoryId })
  await runFeedRebuild(shop.deps)
  const published = await db.selectFrom('publications').select('kind').orderBy('kind').execute()
  expect(published).toEqual([{ kind: 'feed' }, { kind: 'google-merchant' }])
  await sql`update products set active_override = false where id > (select min(id) from products)`.execute(db)
  await expect(runFeedRebuild(shop.deps)).rejects.toThrow(/^feed: 1 offers are fewer than 50 % of the 4/)
})

test('publishes an empty feed if the supplier lists nothing', async () => {
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED', entries: 0, excluded: {} })
  expect(offersOf(await fetchFeed())).toEqual([])
})
