import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// Single odd records: the run continues and reports those that it skips.
let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop()
})
beforeEach(() => {
  world.supplier.intercept = null
  world.supplier.lists = {
    ListCategories: [{ id: 'c', name: 'Category', updatedAt: '01.01.2026 00:00:00.000' }],
    ListBrands: [{ id: 'b', name: 'Brand', updatedAt: '01.01.2026 00:00:00.000' }],
    ListProducts: [],
  }
})
afterAll(() => world.close())

const product = (externalId: string) =>
  world.shop.deps.db
    .selectFrom('products')
    .selectAll()
    .where('external_id', '=', externalId)
    .executeTakeFirst()

test.each([
  '01.01.0001 00:00:00.000',
  '01.01.0001',
  '00.00.0000 00:00:00.000',
  '31.12.1899 23:59:59.999',
  '01.01.3000 00:00:00.000',
  '01.01.12026 00:00:00.000',
  '01.11.2026 10:00:00.000\u0000',
  '01.11.2026\u000010:00:00.000',
  '\u001b[31m',
  '',
  '   ',
])('treats the date %j as missing', async (updatedAt) => {
  world.supplier.lists.ListCategories[0] = { id: 'c', name: 'Category', updatedAt }
  world.supplier.lists.ListBrands[0] = { id: 'b', name: 'Brand', updatedAt }
  world.supplier.lists.ListProducts = [wireProduct('dated', { updatedAt })]
  const run = await world.sync({ full: true })
  expect(run).toMatchObject({ status: 'SUCCEEDED', skippedRecords: [] })
  expect(await product('dated')).toMatchObject({ supplier_updated_at: null })
})

test('reads the earliest and latest dates in a zone east of Greenwich', async () => {
  const eastern = await startScriptedShop({ SUPPLIER_TIME_ZONE: 'Asia/Kamchatka' })
  try {
    eastern.supplier.lists.ListProducts = [
      wireProduct('none', { updatedAt: '01.01.0001 00:00:00.000' }),
      wireProduct('first', { updatedAt: '01.01.1900 00:00:00.000' }),
      wireProduct('last', { updatedAt: '31.12.2999 23:59:59.999' }),
    ]
    expect(await eastern.sync()).toMatchObject({ status: 'SUCCEEDED', skippedRecords: [] })
  } finally {
    await eastern.close()
  }
})

test('stores a reason for every skipped record', async () => {
  const half = '\ud83d'
  const rows: [unknown, RegExp][] = [
    [wireProduct('r1', { price: `${'x'.repeat(98)}😀` }), /^price can't be/],
    [wireProduct('r2', { price: `a${half}\u0000b` }), /^price can't be/],
    [wireProduct('r3', { updatedAt: `yesterday ${half}` }), /^updatedAt can't be/],
    [wireProduct('r4', { updatedAt: `${'😀'.repeat(60)}` }), /^updatedAt can't be/],
    [wireProduct('r5', { attributes: [{ name: [half], value: 1 }] }), /^attributes can't be a list/],
    [wireProduct('r6', { attributes: JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) }), /./],
    [{ ...wireProduct('r7'), id: `r7\u0000` }, /^externalId contains the character/],
    [{ ...wireProduct('r8'), id: ' ' }, /^id can't be " "/],
  ]
  // JSON.stringify fails for the deeply nested one.
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const texts = rows.map(([record], index) =>
    index === 5 ? `{"id":"r6","name":"Deep","attributes":${deep}}` : JSON.stringify(record),
  )
  world.supplier.intercept = ({ list }) =>
    list === 'ListProducts' ? { body: `{"items":[${texts.join(',')}],"nextPage":null}` } : undefined
  const run = await world.sync({ full: true })
  expect(run).toMatchObject({ status: 'SUCCEEDED', error: null })
  expect(run.skippedRecords.map(({ externalId }) => externalId)).toEqual([
    'r1',
    'r2',
    'r3',
    'r4',
    'r5',
    'r6',
    null,
    null,
  ])
  for (const [index, [, reason]] of rows.entries()) {
    expect(run.skippedRecords[index]?.reason).toMatch(reason)
  }
})

test('treats a blank id of a category, brand or parent as missing', async () => {
  const updatedAt = '01.01.2026 00:00:00.000'
  world.supplier.lists.ListCategories = [
    { id: 'c', name: 'Category', updatedAt, parentId: '' },
    { id: 'c2', name: 'Category 2', updatedAt, parentId: ' \t ' },
  ]
  world.supplier.lists.ListProducts = [
    wireProduct('bare', { categoryId: '', brandId: '' }),
    wireProduct('blank', { categoryId: '  ', brandId: '\u00a0' }),
  ]
  const run = await world.sync({ full: true })
  expect(run).toMatchObject({ status: 'SUCCEEDED', skippedRecords: [] })
  for (const id of ['bare', 'blank']) {
    expect(await product(id)).toMatchObject({ category_external_id: null, brand_external_id: null })
  }
  const categories = await world.shop.deps.db.selectFrom('categories').select('parent_external_id').execute()
  expect(categories.map((row) => row.parent_external_id)).toEqual([null, null])
})

test('stores names and attributes in NFC', async () => {
  const updatedAt = '01.01.2026 00:00:00.000'
  world.supplier.lists.ListCategories = [{ id: 'c', name: 'Йод'.normalize('NFD'), updatedAt }]
  world.supplier.lists.ListBrands = [{ id: 'b', name: 'Čapek'.normalize('NFD'), updatedAt }]
  world.supplier.lists.ListProducts = [
    wireProduct('nfd', {
      name: 'Чайник ёмкий'.normalize('NFD'),
      attributes: [{ name: 'Объём'.normalize('NFD'), value: 'большой'.normalize('NFD') }],
    }),
  ]
  await world.sync({ full: true })
  const { db } = world.shop.deps
  expect((await product('nfd'))?.name).toBe('Чайник ёмкий'.normalize('NFC'))
  const names = async (table: 'categories' | 'brands') =>
    (await db.selectFrom(table).select('name').where('external_id', 'in', ['b', 'c']).execute())[0]?.name
  expect([await names('categories'), await names('brands')]).toEqual(['Йод', 'Čapek'])
  const [attribute] = await db.selectFrom('product_attributes').select(['name', 'value']).execute()
  expect(attribute).toEqual({ name: 'Объём', value: 'большой' })
})
