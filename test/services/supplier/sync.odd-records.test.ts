import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// Single odd records: the run continues, takes what is sound of them and reports the rest.
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

test('stores a reason for every invalid record', async () => {
  const half = '\ud83d'
  const rows: [unknown, RegExp][] = [
    [wireProduct('r1', { price: `${'x'.repeat(98)}😀` }), /^price can't be/],
    [wireProduct('r2', { price: `a${half}\u0000b` }), /^price can't be/],
    [wireProduct('r3', { updatedAt: `yesterday ${half}` }), /^updatedAt can't be/],
    [wireProduct('r4', { updatedAt: `${'😀'.repeat(60)}` }), /^updatedAt can't be/],
    [wireProduct('r5', { attributes: [{ name: [half], value: 1 }] }), /^attributes\[0\]\.name can't be a list$/],
    [wireProduct('r6'), /^attributes\[0\] can't be a list$/],
    [wireProduct('r9', { name: '\u200b \u2060' }), /^name is empty/],
    [wireProduct('r10', { name: '\u0007\u001b' }), /^name is empty/],
    [{ ...wireProduct('r7'), id: `r7\u0000` }, /^id contains the character/],
    [{ ...wireProduct('r8'), id: ' ' }, /^id can't be " "/],
  ]
  // Nested too deeply for JSON.stringify.
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

test('takes price and stock of a known product when other members are unsound, which keep their values', async () => {
  const attributes = [
    { name: 'Цвет', value: 'синий' },
    { name: 'Вес', value: '2 кг' },
  ]
  const before = { price: 100, stock: 5, description: 'Надёжный', categoryId: 'c', brandId: 'b', attributes }
  const old = { ...before, url: 'https://supplier.example/p' }
  const faults: [unknown: { [member: string]: unknown }, reason: string, kept: { [column: string]: unknown }][] = [
    [{ attributes: [{ name: 'Цвет', value: true }, attributes[1]] }, "attributes[0].value can't be true", {}],
    [{ attributes: [attributes[1], 7] }, "attributes[1] can't be 7", {}],
    [
      { attributes: [attributes[1], { name: 'a\u0000', value: 'b' }] },
      'attributes[1].name contains the character U+0000',
      {},
    ],
    [{ attributes: 'many' }, 'attributes can\'t be "many"', {}],
    [{ description: ['x'] }, "description can't be a list", { description: 'Надёжный' }],
    [{ description: 'x\ud800y' }, 'description contains half of a surrogate pair', { description: 'Надёжный' }],
    [{ categoryId: 7 }, "categoryId can't be 7", { category_external_id: 'c' }],
    [{ brandId: {} }, "brandId can't be an object", { brand_external_id: 'b' }],
    [{ url: 5 }, "url can't be 5", { page_url: 'https://supplier.example/p' }],
    [{ active: 'yes' }, 'active can\'t be "yes"', { supplier_active: true }],
    [{ updatedAt: 'yesterday' }, 'updatedAt can\'t be "yesterday"', {}],
    [{ price: '9.99' }, 'price can\'t be "9.99"', { price: '100.00' }],
    [{ price: -1 }, 'price is negative: -1', { price: '100.00' }],
    [{ stock: 1e12 }, 'stock is too large: 1000000000000', { stock: 5 }],
    [{ price: 'x', url: 5 }, 'price can\'t be "x"; url can\'t be 5', { price: '100.00' }],
  ]
  const { lists } = world.supplier
  lists.ListProducts = faults.map((_, index) => wireProduct(`k${index}`, old))
  await world.sync({ full: true })
  lists.ListProducts = faults.map(([fault], index) =>
    wireProduct(`k${index}`, { ...old, price: 90, stock: 4, ...fault }),
  )
  const run = await world.sync({ full: true })
  expect(run.skippedRecords).toEqual(
    faults.map(([, reason], index) => ({ syncType: 'PRODUCTS', externalId: `k${index}`, reason })),
  )
  expect(run.types.at(-1)).toMatchObject({ seen: faults.length, updated: faults.length, skipped: faults.length })
  for (const [index, [, , kept]] of faults.entries()) {
    expect(await product(`k${index}`)).toMatchObject({ price: '90.00', stock: 4, ...kept })
  }
  const { rows } = await sql`
    select p.external_id as id, array_agg(a.name order by a.position) as names from products p
    join product_attributes a on a.product_id = p.id where p.external_id in ('k0', 'k1', 'k2', 'k3', 'k4')
    group by 1 order by 1`.execute(world.shop.deps.db)
  expect(rows).toEqual([
    { id: 'k0', names: ['Вес'] },
    { id: 'k1', names: ['Вес'] },
    { id: 'k2', names: ['Вес'] },
    { id: 'k3', names: ['Цвет', 'Вес'] },
    { id: 'k4', names: ['Цвет', 'Вес'] },
  ])
})

test('creates a product without what is unsound of it', async () => {
  world.supplier.lists.ListProducts = [
    wireProduct('n1', { price: 'x' }),
    wireProduct('n2', { stock: 'x' }),
    wireProduct('n3', { active: 'x' }),
    wireProduct('n4', {
      categoryId: ['c'],
      attributes: Array.from({ length: 501 }, (_, n) => ({ name: `${n}`, value: 1 })),
    }),
  ]
  const run = await world.sync({ full: true })
  expect(run.types.at(-1)).toMatchObject({ seen: 4, created: 4, skipped: 4 })
  expect(await product('n1')).toMatchObject({ price: null, stock: 5 })
  expect(await product('n2')).toMatchObject({ price: '100.00', stock: 0 })
  expect(await product('n3')).toMatchObject({ price: '100.00', active: false })
  expect(await product('n4')).toMatchObject({ price: '100.00', category_id: null, category_external_id: null })
  expect(run.skippedRecords.at(-1)?.reason).toBe("categoryId can't be a list; attributes[500] is one too many")
})

test('skips a category whose parent is unsound, and takes one whose date is', async () => {
  world.supplier.lists.ListCategories = [
    { id: 'c1', name: 'No date', updatedAt: 'soon' },
    { id: 'c2', name: 'No parent', updatedAt: '01.01.2026 00:00:00.000', parentId: 5 },
  ]
  const run = await world.sync({ full: true })
  expect(run.types[0]).toMatchObject({ seen: 2, created: 1, skipped: 2 })
  expect(run.skippedRecords).toMatchObject([
    { externalId: 'c1', reason: 'updatedAt can\'t be "soon"' },
    { externalId: 'c2', reason: "parentId can't be 5" },
  ])
})

test('names the product as staff would: without control characters, and with entities decoded once', async () => {
  const updatedAt = '01.01.2026 00:00:00.000'
  const name = 'Телевизор\u0007\u001b 32&quot; &amp;quot;М&amp;quot;\u0085&nbsp;&#x2116;1'
  world.supplier.lists.ListCategories = [{ id: 'c', name: 'Аудио&amp;Видео\u0002', updatedAt }]
  world.supplier.lists.ListBrands = [{ id: 'b', name: 'H&amp;M\u0001', updatedAt }]
  world.supplier.lists.ListProducts = [
    wireProduct('e', {
      name,
      url: 'https://supplier.example/p?a=1&amp;b=2',
      attributes: [{ name: 'Q&amp;A\u0003', value: '&lt;M&gt; &amp;amp; L\nXL' }],
    }),
  ]
  await world.sync({ full: true })
  const { db } = world.shop.deps
  const stored = await product('e')
  expect(stored).toMatchObject({
    name: 'Телевизор 32" &quot;М&quot; №1',
    slug: 'televizor-32-quot-m-quot-1',
    page_url: 'https://supplier.example/p?a=1&b=2',
  })
  const named = async (table: 'categories' | 'brands') =>
    (await db.selectFrom(table).select(['name', 'slug']).where('external_id', 'in', ['b', 'c']).execute())[0]
  expect(await named('categories')).toEqual({ name: 'Аудио&Видео', slug: 'audio-video' })
  expect(await named('brands')).toEqual({ name: 'H&M', slug: 'h-m' })
  const attributes = await db.selectFrom('product_attributes').select(['name', 'value']).execute()
  expect(attributes).toEqual([{ name: 'Q&A', value: '<M> &amp; L\nXL' }])
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
