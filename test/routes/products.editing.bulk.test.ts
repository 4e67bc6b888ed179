import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/schemas/audit.ts'
import type { BulkEdited } from '../../src/schemas/product-editing.ts'
import type { StaffProductCard } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const PRODUCTS = '/api/v1/products'
const MISSING = 2_000_000_000
const send = (body: unknown, query = '') => shop.call('PATCH', `${PRODUCTS}${query}`, { token: admin, body })
async function bulk(body: unknown, query = ''): Promise<BulkEdited> {
  const answer = await send(body, query)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body as BulkEdited
}
const card = async (id: number, on = shop) =>
  (await on.call('GET', `${PRODUCTS}/${id}`, { token: admin })).body as StaffProductCard
const cards = (ids: number[]) => Promise.all(ids.map((id) => card(id)))
const create = (price: string | null, input: Parameters<typeof createProduct>[1] = {}) =>
  createProduct(shop.deps.db, { ...input, price })
/** Writes past the service, so caches are cleared by hand. */
async function createCategoryOf(parentId: number | null = null): Promise<number> {
  const id = await createCategory(shop.deps.db, { parentId })
  for (const { deps } of [shop, other]) deps.caches.clear()
  return id
}
async function createTag(name: string): Promise<number> {
  const values = { name, slug: `bulk-${name}` }
  return (await shop.deps.db.insertInto('tags').values(values).returning('id').executeTakeFirstOrThrow()).id
}
async function entries(): Promise<AuditEntry[]> {
  const { body } = await shop.call('GET', '/api/v1/admin/audit?entityId=bulk', { token: admin })
  return (body as { content: AuditEntry[] }).content
}

test('rounds a percentage of the supplier’s price half up, in decimal arithmetic', async () => {
  const prices = ['1.05', '0.05', '33.33', '999.99', '9999999999.99', '1.15']
  const ids = await Promise.all(prices.map((price) => create(price)))
  expect(await bulk({ ids, set: { sitePricePercent: 90 } })).toEqual({ matched: 6, changed: 6, errors: [] })
  expect((await cards(ids)).map(({ sitePrice }) => sitePrice)).toEqual([0.95, 0.05, 30, 899.99, 8_999_999_999.99, 1.04])
  expect(await bulk({ ids: ids.slice(0, 1), set: { sitePricePercent: 33.33 } })).toMatchObject({ changed: 1 })
  expect(await card(ids[0] ?? 0)).toMatchObject({
    sitePrice: 0.35,
    finalPrice: 0.35,
    price: 1.05,
    version: 3,
  })
  // A percentage of the supplier's price, so that repeating it changes nothing.
  expect(await bulk({ ids, set: { sitePricePercent: 90 } })).toMatchObject({ changed: 1 })
  expect(await bulk({ ids, set: { sitePricePercent: 90 } })).toMatchObject({ matched: 6, changed: 0 })
  const tooMuch = await bulk({ ids, set: { sitePricePercent: 110 } })
  expect(tooMuch).toEqual({
    matched: 6,
    changed: 0,
    errors: [{ id: ids[4], message: 'The price would be too high' }],
  })
})

test('refuses a percentage that leaves nothing of a price', async () => {
  const ids = [await create('0.04'), await create('100.00')]
  expect(await bulk({ ids, set: { sitePricePercent: 10 } })).toEqual({
    matched: 2,
    changed: 0,
    errors: [{ id: ids[0], message: 'The price would be zero' }],
  })
  expect(await cards(ids)).toMatchObject(ids.map(() => ({ sitePrice: null })))
})

test('says in Russian what prevents the edit', async () => {
  const { body } = await shop.call('PATCH', '/api/v1/products', {
    token: admin,
    headers: { 'accept-language': 'ru' },
    body: { ids: [MISSING], set: { active: false } },
  })
  expect(body).toMatchObject({ errors: [{ id: MISSING, message: 'Такого товара нет' }] })
})

test('changes nothing if one product has no price or does not exist', async () => {
  const ids = [await create('10.00'), await create(null), await create('30.00'), await create('0.00')]
  const asked = { ids: [...ids, MISSING, ids[0]], set: { sitePricePercent: 50, active: false } }
  const refused = {
    matched: 4,
    changed: 0,
    errors: [
      { id: ids[1], message: 'The product has no price' },
      { id: ids[3], message: 'The product has no price' },
      { id: MISSING, message: 'There is no such product' },
    ],
  }
  const before = [await cards(ids), (await entries()).length]
  expect(await bulk(asked, '?dryRun=true')).toEqual({ ...refused, sample: [] })
  expect(await bulk(asked)).toEqual(refused)
  expect([await cards(ids), (await entries()).length]).toEqual(before)
})

test('reports what would change in a dry run and writes nothing', async () => {
  const category = await createCategoryOf()
  const ids = [await create('10.00', { categoryId: category }), await create('20.00', { categoryId: category })]
  const tag = await createTag('dry')
  const marks = async () =>
    (await sql`select ctid, xmin, xmax from products where id = any(${ids})`.execute(shop.deps.db)).rows
  const before = await marks()
  const asked = { filter: { categoryId: category }, set: { sitePrice: 10, addTagIds: [tag] } }
  expect(await bulk(asked, '?dryRun=true')).toMatchObject({ matched: 2, changed: 2, errors: [] })
  expect([await marks(), (await cards(ids)).map(({ tags }) => tags)]).toEqual([before, [[], []]])
  expect(await bulk(asked)).toEqual({ matched: 2, changed: 2, errors: [] })
  expect(await bulk(asked, '?dryRun=true')).toEqual({ matched: 2, changed: 0, errors: [], sample: [] })
})

test('applies all kinds of changes at once, with one version and one audit entry', async () => {
  const [from, to] = [await createCategoryOf(), await createCategoryOf()]
  const [keep, lose, get] = [await createTag('keep'), await createTag('lose'), await createTag('get')]
  const supplied = await create('10.00', { categoryId: from, sitePrice: '9.00' })
  const handMade = await create('20.00', { categoryId: from, externalId: null })
  const there = await create('30.00', { categoryId: to, sitePrice: '5.00' })
  const ids = [supplied, handMade, there]
  for (const id of ids) {
    await shop.call('PUT', `${PRODUCTS}/${id}/tags`, {
      token: admin,
      body: { tagIds: id === there ? [keep, get] : [keep, lose] },
    })
  }
  for (const id of ids) await other.call('GET', `${PRODUCTS}/${id}`)
  const set = { sitePrice: 5, categoryId: to, addTagIds: [get, get], removeTagIds: [lose] }
  expect(await bulk({ ids, set })).toEqual({ matched: 3, changed: 2, errors: [] })
  const changed = { sitePrice: 5, category: { id: to }, tags: [{ id: get }, { id: keep }], version: 3 }
  expect(await cards(ids)).toMatchObject([
    { ...changed, overrides: ['categoryId'] },
    { ...changed, overrides: [] },
    { version: 2, overrides: [] },
  ])
  for (const on of [shop, other]) {
    const shown = async () => (await on.call('GET', `${PRODUCTS}/${supplied}`)).body
    await expect.poll(shown, SOON).toMatchObject({ finalPrice: 5, category: { id: to } })
    const list = (await on.call('GET', `${PRODUCTS}?categoryId=${to}`)).body as { content: StaffProductCard[] }
    expect(list.content.map(({ id }) => id)).toEqual(ids)
  }
  const [entry] = await entries()
  expect(entry).toMatchObject({
    entity: 'PRODUCT',
    action: 'UPDATE',
    before: { sitePrice: { [supplied]: 9, [handMade]: null }, categoryId: { [supplied]: from } },
    after: { sitePrice: 5, categoryId: to, products: [supplied, handMade], removeTagIds: [lose] },
  })
  expect(await bulk({ ids, set: { active: false, sitePrice: null, categoryId: null } })).toMatchObject({
    changed: 3,
  })
  for (const id of ids) expect((await shop.call('GET', `${PRODUCTS}/${id}`)).status).toBe(404)
  expect(await bulk({ ids, set: { active: null } })).toMatchObject({ changed: 3 })
  expect(await cards(ids)).toMatchObject(ids.map(() => ({ active: true, category: null, sitePrice: null })))
})

test('adds the category to what staff override already, once', async () => {
  const id = await create('10.00')
  await shop.call('PATCH', `${PRODUCTS}/${id}`, { token: admin, body: { name: 'Own' } })
  for (const categoryId of [await createCategoryOf(), await createCategoryOf()]) {
    await bulk({ ids: [id], set: { categoryId } })
    expect(await card(id)).toMatchObject({ category: { id: categoryId }, overrides: ['name', 'categoryId'] })
  }
})

test('removes those of the tags that a product has, and counts what has any', async () => {
  const [had, other, none] = [await createTag('had'), await createTag('other'), await createTag('none')]
  const ids = [await create('1.00'), await create('1.00')]
  for (const [n, id] of ids.entries()) {
    const body = { tagIds: n === 0 ? [had, other] : [other] }
    await shop.call('PUT', `${PRODUCTS}/${id}/tags`, { token: admin, body })
  }
  const set = { removeTagIds: [had, none] }
  expect(await bulk({ ids, set })).toEqual({ matched: 2, changed: 1, errors: [] })
  expect(await cards(ids)).toMatchObject([{ tags: [{ id: other }] }, { tags: [{ id: other }], version: 2 }])
})

test('selects what the list shows staff, without correcting the search', async () => {
  const parent = await createCategoryOf()
  const child = await createCategoryOf(parent)
  const brandId = await createBrand(shop.deps.db)
  const ids = [
    await create('100.00', { name: 'Перфоратор синий', categoryId: parent, brandId }),
    await create('200.00', { name: 'Перфоратор красный', categoryId: child, activeOverride: false }),
    await create('300.00', { name: 'Дрель красная', categoryId: child, brandId }),
  ]
  const matched = async (filter: object) => (await bulk({ filter, set: { sitePrice: 1 } }, '?dryRun=true')).matched
  expect(await matched({ categoryId: parent })).toBe(3)
  expect(await matched({ categoryId: parent, active: true })).toBe(2)
  expect(await matched({ categoryId: child, brandId: `${brandId}` })).toBe(1)
  expect(await matched({ categoryId: child, brandId })).toBe(1)
  expect(await matched({ categoryId: parent, minPrice: 150, maxPrice: 300 })).toBe(2)
  expect(await matched({ categoryId: parent, minPrice: 300, maxPrice: 150 })).toBe(0)
  expect(await matched({ search: 'перфоратор КРАСН' })).toBe(1)
  expect(await matched({ search: 'перфаратор' })).toBe(0)
  expect(await matched({ categoryId: MISSING })).toBe(0)
  const tagId = await createTag('filter')
  await bulk({ ids: ids.slice(1), set: { addTagIds: [tagId] } })
  expect(await matched({ tagId, maxPrice: 250 })).toBe(1)
  const brands = [brandId, await createBrand(shop.deps.db)]
  expect(await matched({ brandId: brands.join() })).toBe(2)
  expect(await matched({ categoryId: parent, inStock: true, 'attr.Цвет': ['синий'] })).toBe(0)
  // The edit can make products no longer match its filter.
  expect(await bulk({ filter: { categoryId: child, active: true }, set: { active: false } })).toMatchObject({
    changed: 1,
  })
  expect(await bulk({ filter: { categoryId: child, active: true }, set: { active: false } })).toMatchObject({
    matched: 0,
  })
  expect((await cards(ids)).map(({ active }) => active)).toEqual([true, false, false])
})

test.each([
  [{}, ['set']],
  [{ set: { active: true } }, ['ids']],
  [{ ids: [1], filter: {}, set: {} }, ['filter', 'set']],
  [{ ids: [], set: { active: true } }, ['ids']],
  [{ ids: [], set: { sitePrice: 1, sitePricePercent: 90 } }, ['ids', 'set.sitePricePercent']],
  [{ ids: [1], filter: {}, set: { sitePrice: -1 } }, ['filter', 'set.sitePrice']],
  [{ filter: { brand: 5 }, set: {} }, ['filter.brand', 'set']],
  [{ ids: [1], set: { unknown: 1 } }, ['set']],
  [
    { ids: [1], set: { sitePrice: 1.005, categoryId: 'x', addTagIds: [], sitePricePercent: 0 } },
    ['set.addTagIds', 'set.categoryId', 'set.sitePrice', 'set.sitePricePercent'],
  ],
  [{ ids: [1], set: { sitePricePercent: 90.005 } }, ['set.sitePricePercent']],
  [{ ids: [1], set: { sitePrice: 0 } }, ['set.sitePrice']],
  [{ ids: [1], set: { sitePrice: 1, sitePricePercent: 90 } }, ['set.sitePricePercent']],
  [{ ids: [1], set: { categoryId: MISSING, addTagIds: [MISSING] } }, ['set.addTagIds.0', 'set.categoryId']],
  // Ignoring an unknown condition would change every product.
  [{ filter: { brand: 5 }, set: { active: false } }, ['filter.brand']],
  [{ filter: { brandId: '5,0' }, set: { active: false } }, ['filter.brandId']],
  [
    { filter: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`attr.a${n}`, 'x'])), set: { active: false } },
    ['filter'],
  ],
  [{ filter: { categoryId: '5' }, set: { active: false } }, ['filter.categoryId']],
  [{ ids: Array(10_001).fill(1), set: { active: true } }, ['ids']],
])('names each fault of a bulk edit: %#', async (body, paths) => {
  const answer = await send(body)
  expect([answer.status, answer.text.slice(0, 500)]).toEqual([400, expect.any(String)])
  const { details } = answer.body as { details: { path: string }[] }
  expect(details.map(({ path }) => path).toSorted()).toEqual(paths)
})
