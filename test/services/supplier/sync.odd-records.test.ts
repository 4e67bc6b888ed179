import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// Single odd records: the run continues and reports those that it skips.
let world: ScriptedShop

beforeAll(async () => {
  // East of Greenwich the first dates are earlier than in UTC.
  world = await startScriptedShop({ SUPPLIER_TIME_ZONE: 'Asia/Kamchatka' })
})
beforeEach(async () => {
  await world.startOver()
  world.supplier.lists = {
    ListCategories: [{ id: 'c', name: 'Category', updatedAt: '01.01.2026 00:00:00.000' }],
    ListBrands: [{ id: 'b', name: 'Brand', updatedAt: '01.01.2026 00:00:00.000' }],
    ListProducts: [],
  }
})
afterAll(() => world.close())

const product = (externalId: string) =>
  world.shop.deps.db.selectFrom('products').selectAll().where('external_id', '=', externalId).executeTakeFirst()

test('treats odd dates as missing', async () => {
  const dates = [
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
  ]
  const dated = dates.map((updatedAt, index) => ({ id: `dated-${index}`, name: `Dated ${index}`, updatedAt }))
  world.supplier.lists = {
    ListCategories: dated,
    ListBrands: dated,
    ListProducts: [
      ...dated.map(({ id, updatedAt }) => wireProduct(id, { updatedAt })),
      wireProduct('first', { updatedAt: '01.01.1900 00:00:00.000' }),
      wireProduct('last', { updatedAt: '31.12.2999 23:59:59.999' }),
    ],
  }
  expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED', skippedRecords: [] })
  const { rows } = await sql<{ id: string; isDated: boolean }>`
    select external_id as id, supplier_updated_at is not null as "isDated" from products
    union all select external_id, supplier_updated_at is not null from categories
    union all select external_id, supplier_updated_at is not null from brands`.execute(world.shop.deps.db)
  expect(rows).toHaveLength(3 * dates.length + 2)
  expect(
    rows
      .filter(({ isDated }) => isDated)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['first', 'last'])
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
    [wireProduct('r9', { name: '\u200b \u2060' }), /^name is empty/],
    [wireProduct('r10', { name: '\u0007\u001b' }), /^name is empty/],
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
    'r9',
    'r10',
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
