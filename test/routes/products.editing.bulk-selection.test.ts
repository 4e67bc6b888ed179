import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BulkEdited } from '../../src/schemas/product-editing.ts'
import { loginAs } from '../support/accounts.ts'
import { createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

const send = (body: unknown, query = '') => shop.call('PATCH', `/api/v1/products${query}`, { token: admin, body })
const sitePrices = async () =>
  (await shop.deps.db.selectFrom('products').select('site_price').orderBy('id').execute()).map((row) => row.site_price)

test.each([
  {},
  { search: '' },
  { search: ' \t ' },
  { inStock: false },
  { brandId: '' },
  { without: '' },
  { brandId: '', without: '', search: ' ', inStock: false },
])('refuses a filter that leaves out nothing: %j', async (filter) => {
  await createProduct(shop.deps.db, { price: '7.00' })
  const before = await sitePrices()
  const answer = await send({ filter, set: { sitePrice: 5 } })
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', details: [{ path: 'filter' }] } })
  expect(await sitePrices()).toEqual(before)
})

test.each([
  [{ all: false }, ['all']],
  [{ all: true, ids: [1] }, ['all']],
  [{ all: true, filter: { categoryId: 1 } }, ['all']],
  [{ all: true, ids: [1], filter: {} }, ['all', 'filter']],
])('names what contradicts in a selection: %j', async (selection, paths) => {
  const { status, body } = await send({ ...selection, set: { active: true } })
  const { details } = body as { details: { path: string }[] }
  expect([status, details.map(({ path }) => path).toSorted()]).toEqual([400, paths])
})

test('edits every product when all is asked for', async () => {
  await createProduct(shop.deps.db, { price: '7.00' })
  await createProduct(shop.deps.db, { price: '8.00', activeOverride: false })
  const { length } = await sitePrices()
  expect(await send({ all: true, set: { sitePrice: 6 } })).toMatchObject({
    status: 200,
    body: { matched: length, changed: length, errors: [] },
  })
  expect(await sitePrices()).toEqual(Array(length).fill('6.00'))
})

test('shows twenty of the products that a dry run would change, before and after', async () => {
  const { db } = shop.deps
  const [from, to] = [await createCategory(db), await createCategory(db)]
  const values = ['keep', 'lose', 'get'].map((name) => ({ name, slug: `sample-${name}` }))
  const tags = (await db.insertInto('tags').values(values).returning('id').execute()).map(({ id }) => id)
  const ids: number[] = []
  for (let n = 1; n <= 22; n++)
    ids.push(await createProduct(db, { name: `Насос ${n}`, price: '10.00', categoryId: from }))
  const [first = 0, second = 0] = ids
  const links = tags.slice(0, 2).map((tag_id) => ({ product_id: second, tag_id }))
  await db.insertInto('product_tags').values(links).execute()
  await db.updateTable('products').set({ active_override: false, site_price: '9.00' }).where('id', '=', first).execute()
  const dryRun = async (set: object) => {
    const { sample, ...counts } = (await send({ ids, set }, '?dryRun=true')).body as BulkEdited
    return { counts, sample: sample ?? [] }
  }

  const priced = await dryRun({ sitePricePercent: 90 })
  // The first has that price already.
  expect(priced.counts).toEqual({ matched: 22, changed: 21, errors: [] })
  expect(priced.sample.map(({ id }) => id)).toEqual(ids.slice(1, 21))
  expect(priced.sample[0]).toEqual({
    id: second,
    name: 'Насос 2',
    before: { sitePrice: null },
    after: { sitePrice: 9 },
  })

  const set = {
    active: null,
    sitePrice: null,
    categoryId: to,
    addTagIds: tags.slice(2),
    removeTagIds: tags.slice(1, 2),
  }
  const { sample } = await dryRun(set)
  const nothing = { active: null, sitePrice: null, categoryId: from }
  expect(sample.slice(0, 2)).toEqual([
    {
      id: first,
      name: 'Насос 1',
      before: { ...nothing, active: false, sitePrice: 9, tagIds: [] },
      after: { ...nothing, categoryId: to, tagIds: tags.slice(2) },
    },
    {
      id: second,
      name: 'Насос 2',
      before: { ...nothing, tagIds: tags.slice(0, 2) },
      after: { ...nothing, categoryId: to, tagIds: [tags[0], tags[2]] },
    },
  ])
})
