import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Catalogue } from '../../../demo/catalogue.ts'
import { generateCatalogue } from '../../../demo/generate.ts'
import { decimalOf } from '../../../src/rules/money.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

let world: SupplierShop
let catalogue: Catalogue

beforeAll(async () => {
  catalogue = generateCatalogue({ products: 250, seed: 7 })
  world = await startSupplierShop({ SUPPLIER_TIME_ZONE: 'Asia/Almaty' }, catalogue)
})
beforeEach(() => {
  world.supplier.faults.reset()
  world.supplier.rawProducts.length = 0
})
afterAll(() => world.close())

const productsOf = (run: Awaited<ReturnType<SupplierShop['sync']>>) =>
  run.types.find((type) => type.syncType === 'PRODUCTS')

function product(externalId: string) {
  return world.shop.deps.db
    .selectFrom('products')
    .selectAll()
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow()
}

async function attributesOf(externalId: string) {
  const { id } = await product(externalId)
  return world.shop.deps.db
    .selectFrom('product_attributes')
    .select(['source', 'name', 'value'])
    .where('product_id', '=', id)
    .orderBy('source')
    .orderBy('position')
    .execute()
}

test('loads the whole catalogue in the first run', async () => {
  const run = await world.sync()
  expect(run).toMatchObject({ status: 'SUCCEEDED', error: null, trigger: 'MANUAL', skippedRecords: [] })
  expect(run.types.map((type) => [type.syncType, type.fullLoad, type.created])).toEqual([
    ['CATEGORIES', true, catalogue.categories.size],
    ['BRANDS', true, catalogue.brands.size],
    ['PRODUCTS', true, 250],
  ])
  const { rows } = await sql<{ id: string }>`
    select p.external_id as id, p.name, p.price, p.stock, p.supplier_active as active, coalesce((
      select json_agg(json_build_object('name', a.name, 'value', a.value) order by a.position)
      from product_attributes a where a.product_id = p.id and a.source = 'EXTERNAL'), '[]') as attributes
    from products p order by p.external_id collate "C"`.execute(world.shop.deps.db)
  const sold = [...catalogue.products].map(({ id, name, price, stock, active, attributes }) => ({
    id,
    active,
    attributes,
    stock: stock ?? 0,
    name: name.replace(/\s+/g, ' ').trim(),
    price: price === null ? null : decimalOf(price),
  }))
  expect(rows).toEqual(sold.sort((one, other) => (one.id < other.id ? -1 : 1)))
})

test('writes no row when nothing changed', async () => {
  const { db } = world.shop.deps
  // A written or locked row gets another ctid, xmin or xmax.
  const versions = async () => {
    const tables = ['products', 'product_attributes', 'categories', 'brands', 'stock', 'slug_history']
    const digests = tables.map((table) =>
      sql<{ digest: string }>`
        select md5(string_agg(ctid::text || xmin::text || xmax::text, ' ' order by ctid)) as digest
        from ${sql.table(table)}`.execute(db),
    )
    return (await Promise.all(digests)).map(({ rows }) => rows[0]?.digest)
  }
  const before = await versions()
  await db.deleteFrom('sync_state').execute()
  const run = await world.sync()
  expect(run.types.map(({ seen, unchanged, fullLoad }) => [fullLoad, seen === unchanged])).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ])
  expect(await versions()).toEqual(before)
})

test('reads only changes, from a time in the supplier’s zone', async () => {
  const [changed] = catalogue.changeSome(1)
  world.supplier.requests.length = 0
  const run = await world.sync()
  expect(productsOf(run)).toMatchObject({ fullLoad: false, created: 0, updated: 1 })
  const [request] = world.supplier.requests.filter(({ path }) => path.includes('ListProducts'))
  const from = new URL(request?.path ?? '', world.supplier.url).searchParams.get('dateFrom')
  expect(from).toMatch(/^\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d\.\d{3}$/)
  expect(request?.headers.token).toBe('supplier-token')
  const sold = catalogue.products.get(changed ?? '')
  expect((await product(changed ?? '')).stock).toBe(sold?.stock ?? 0)
})

test('records each change of the stock once', async () => {
  catalogue.upsertProduct({ id: 'hist-1', name: 'История', price: 10, stock: 5 })
  await world.sync()
  catalogue.upsertProduct({ id: 'hist-1', stock: 0 })
  await world.sync()
  catalogue.upsertProduct({ id: 'hist-1', price: 11 })
  await world.sync()
  const { id } = await product('hist-1')
  const history = await world.shop.deps.db
    .selectFrom('stock')
    .select('quantity')
    .where('product_id', '=', id)
    .orderBy('id')
    .execute()
  expect(history.map((row) => row.quantity)).toEqual([5, 0])
})

test('updates attributes, also when nothing else changed', async () => {
  catalogue.upsertProduct({
    id: 'attr-1',
    name: 'С атрибутами',
    attributes: [
      { name: 'Цвет', value: 'синий' },
      { name: 'Вес', value: '2 кг' },
      { name: '', value: 'без имени' },
    ],
  })
  await world.sync()
  catalogue.upsertProduct({ id: 'attr-1', attributes: [{ name: 'Вес', value: '3 кг' }] })
  expect(productsOf(await world.sync())).toMatchObject({ updated: 1 })
  expect(await attributesOf('attr-1')).toEqual([{ source: 'EXTERNAL', name: 'Вес', value: '3 кг' }])
})

test('keeps the decisions of staff', async () => {
  const { db } = world.shop.deps
  catalogue.upsertProduct({ id: 'manual-1', name: 'Ручное', price: 10, stock: 1, active: true })
  await world.sync()
  const { id } = await product('manual-1')
  await db
    .updateTable('products')
    .set({ site_price: '7.50', active_override: false, slug: 'own-slug', meta_title: 'Own title' })
    .where('id', '=', id)
    .execute()
  await db
    .insertInto('product_attributes')
    .values({ product_id: id, source: 'MANUAL', position: 0, name: 'Гарантия', value: '2 года' })
    .execute()
  catalogue.upsertProduct({
    id: 'manual-1',
    name: 'Ручное новое',
    price: 12,
    attributes: [{ name: 'A', value: 'b' }],
  })
  await world.sync()
  expect(await product('manual-1')).toMatchObject({
    name: 'Ручное новое',
    price: '12.00',
    site_price: '7.50',
    final_price: '7.50',
    active: false,
    slug: 'own-slug',
    meta_title: 'Own title',
  })
  expect(await attributesOf('manual-1')).toEqual([
    { source: 'EXTERNAL', name: 'A', value: 'b' },
    { source: 'MANUAL', name: 'Гарантия', value: '2 года' },
  ])
})

test('updates only unlocked categories, and links no locked one to a parent listed later', async () => {
  const { db } = world.shop.deps
  catalogue.upsertCategory({ id: 'locked', name: 'Закрытая' })
  catalogue.upsertCategory({ id: 'kept-child', name: 'Под замком', parentId: 'kept-parent' })
  catalogue.upsertCategory({ id: 'open', name: 'Открытая' })
  await world.sync()
  await db
    .updateTable('categories')
    .set({ category_locked_by_gbstore: true, name: 'Своё имя' })
    .where('external_id', 'in', ['locked', 'kept-child'])
    .execute()
  catalogue.upsertCategory({ id: 'locked', name: 'Другая', parentId: 'open' })
  catalogue.upsertCategory({ id: 'open', name: 'Открытая новая' })
  catalogue.upsertCategory({ id: 'kept-parent', name: 'Опоздавший' })
  await world.sync()
  const rows = await db
    .selectFrom('categories')
    .select(['name', 'parent_id'])
    .where('external_id', 'in', ['kept-child', 'locked', 'open'])
    .orderBy('external_id')
    .execute()
  expect(rows).toEqual([
    { name: 'Своё имя', parent_id: null },
    { name: 'Своё имя', parent_id: null },
    { name: 'Открытая новая', parent_id: null },
  ])
})

test('links a parent, category or brand that is listed later', async () => {
  const { db } = world.shop.deps
  catalogue.upsertCategory({ id: 'late-child', name: 'Ребёнок', parentId: 'late-parent' })
  catalogue.upsertProduct({
    id: 'late-1',
    name: 'Поздний',
    categoryId: 'late-category',
    brandId: 'late-brand',
  })
  await world.sync()
  expect(await product('late-1')).toMatchObject({ category_id: null, brand_id: null })
  catalogue.upsertCategory({ id: 'late-parent', name: 'Родитель' })
  catalogue.upsertCategory({ id: 'late-category', name: 'Поздняя' })
  catalogue.upsertBrand({ id: 'late-brand', name: 'Поздний бренд' })
  await world.sync()
  const linked = await product('late-1')
  expect([linked.category_id, linked.brand_id]).toEqual([expect.any(Number), expect.any(Number)])
  const child = await db
    .selectFrom('categories')
    .select('parent_id')
    .where('external_id', '=', 'late-child')
    .executeTakeFirst()
  expect(child?.parent_id).toEqual(expect.any(Number))
})

test('skips malformed records with id and reason, and imports the others', async () => {
  const good = {
    id: 'raw-good',
    name: ' Хороший\n товар ',
    price: 1.005,
    stock: 2.9,
    updatedAt: '01.11.2026 10:00:00.000',
  }
  const raw: [string | null, unknown, RegExp][] = [
    ['raw-1', { ...good, id: 'raw-1', name: '   ' }, /^name is empty/],
    ['raw-2', { ...good, id: 'raw-2', price: '12' }, /^price can't be "12"/],
    ['raw-3', { ...good, id: 'raw-3', price: -1 }, /^price is negative/],
    ['raw-4', { ...good, id: 'raw-4', price: 5e101 }, /^price is too large/],
    ['raw-5', { ...good, id: 'raw-5', updatedAt: '2026-11-01' }, /^updatedAt can't be/],
    ['raw-6', { ...good, id: 'raw-6', name: 'a\u0000b' }, /^name contains the character U\+0000/],
    ['raw-7', { ...good, id: 'raw-7', description: 'x\ud800y' }, /surrogate/],
    ['raw-8', { ...good, id: 'raw-8', stock: 1e12 }, /^stock is too large/],
    ['raw-9', { ...good, id: 'raw-9', attributes: 'many' }, /^attributes can't be/],
    [null, { ...good, id: 5 }, /^id can't be 5/],
    [null, null, /^the record can't be null/],
    [null, 'text', /^the record can't be "text"/],
    [null, { name: 'no id' }, /^id is missing/],
  ]
  world.supplier.rawProducts.push(good)
  for (const [, record] of raw) world.supplier.rawProducts.push(record)
  const run = await world.sync()
  expect(run.status).toBe('SUCCEEDED')
  expect(productsOf(run)?.skipped).toBe(raw.length)
  for (const [index, [externalId, , reason]] of raw.entries()) {
    expect(run.skippedRecords[index]).toMatchObject({
      syncType: 'PRODUCTS',
      externalId,
      reason: expect.stringMatching(reason),
    })
  }
  expect(await product('raw-good')).toMatchObject({ name: 'Хороший товар', price: '1.01', stock: 2 })
})

test('imports the later of two records with the same id', async () => {
  world.supplier.rawProducts.push({ id: 'twice', name: 'Первый', price: 1, stock: 1 })
  world.supplier.rawProducts.push({ id: 'twice', name: 'Второй', price: 2, stock: 2 })
  expect((await world.sync()).status).toBe('SUCCEEDED')
  expect(await product('twice')).toMatchObject({ name: 'Второй', price: '2.00', stock: 2 })
})

test('numbers the slugs of equal names', async () => {
  for (const id of ['same-1', 'same-2', 'same-3']) catalogue.upsertProduct({ id, name: 'Одинаковый товар' })
  await world.sync()
  catalogue.upsertProduct({ id: 'same-4', name: 'Одинаковый товар 4' })
  catalogue.upsertProduct({ id: 'same-5', name: 'Одинаковый товар' })
  catalogue.upsertProduct({ id: 'same-6', name: '!!!' })
  await world.sync()
  const slugs = await Promise.all(['same-1', 'same-2', 'same-3', 'same-4', 'same-5'].map(product))
  expect(new Set(slugs.map((row) => row.slug))).toEqual(
    new Set([
      'odinakovyy-tovar',
      'odinakovyy-tovar-2',
      'odinakovyy-tovar-3',
      'odinakovyy-tovar-4',
      'odinakovyy-tovar-5',
    ]),
  )
  const nameless = await product('same-6')
  expect(nameless.slug).toBe(`product-${nameless.id}`)
  const { slug } = await product('same-1')
  catalogue.upsertProduct({ id: 'same-1', name: 'Переименован' })
  await world.sync()
  expect((await product('same-1')).slug).toBe(slug)
})

test('does not deactivate the product of a malformed record', async () => {
  catalogue.upsertProduct({ id: 'sick', name: 'Больной', price: 1 })
  await world.sync()
  catalogue.products.delete('sick')
  world.supplier.rawProducts.push({ id: 'sick', name: 'Больной', price: 'много' })
  await world.shop.deps.db.deleteFrom('sync_state').execute()
  await world.sync()
  expect((await product('sick')).active).toBe(true)
})
