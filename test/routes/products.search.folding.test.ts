import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ProductPage } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())
beforeEach(() => shop.deps.caches.clear())

async function list(query: Record<string, string | number>): Promise<ProductPage> {
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const answer = await shop.call('GET', `/api/v1/products?${search}`)
  expect([query, answer.status]).toEqual([query, 200])
  return JSON.parse(answer.text)
}

const idsOf = ({ content }: ProductPage) => content.map(({ id }) => id)

test.each([
  ['oeufs', 'Œufs frais'],
  ['œufs', 'Oeufs frais'],
  ['kuchengerate', 'Küchengeräte'],
  ['isıklar', 'Işıklar'],
  ['łozka', 'Łóżka'],
  ['strasse', 'Straßenlampe'],
  ['doğa', 'Doga'],
  ['№77', 'Ключ N 77'],
  ['7-77', 'Ключ № 777'],
  // The script of an article number can't be seen: Cyrillic here, Latin there.
  ['ф4', 'Плёнка Ф4'],
  ['а4', 'Paper A4'],
  ['A4', 'Бумага А4'],
  ['тк-77', 'Toner TK-77'],
  ['тк-88', 'Toner NV-TK-88X'],
  ['xerox', 'Тонер Xеrох смешанный'],
])('finds by %j folded alike %j', async (search, name) => {
  const brandId = await createBrand(shop.deps.db)
  const id = await createProduct(shop.deps.db, { name, brandId })
  expect(await list({ search, brandId })).toMatchObject({ content: [{ id }], correctedSearch: null })
})

test('requires signs at the end of a word if they are given', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const plus = await createProduct(db, { name: 'Borland C++', brandId })
  const sharp = await createProduct(db, { name: 'Visual C#', brandId })
  const plain = await createProduct(db, { name: 'Витамин C', brandId })
  const find = async (search: string) => idsOf(await list({ search, brandId }))
  expect(await find('c++')).toEqual([plus])
  expect(await find('C#')).toEqual([sharp])
  expect((await find('c')).toSorted()).toEqual([plus, sharp, plain].toSorted())
  for (const search of ['витамин+c', 'витамин +c', '#витамин c']) expect(await find(search)).toEqual([plain])
  expect(await list({ search: 'f#' })).toMatchObject({ totalElements: 0, correctedSearch: null })
})

test('leaves out the most frequent word if all words together find nothing', async () => {
  const { db } = shop.deps
  for (const name of ['Ведро для воды', 'Ведро для угля', 'Швабра для пола', 'Совок']) {
    await createProduct(db, { name })
  }
  expect(await list({ search: 'совок для' })).toMatchObject({
    correctedSearch: 'Совок',
    content: [{ name: 'Совок' }],
  })
  expect(await list({ search: 'швабра воды' })).toMatchObject({ totalElements: 1 })
  expect((await list({ search: 'qqqqwwww жщшыцгх ззззхххх йцйцйцй ведро' })).totalElements).toBe(0)
})

test('finds a product by its external id, exact matches first, for staff also inactive ones', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const token = await loginAs(shop, 'EDITOR')
  const named = await createProduct(db, { name: 'CL-10576 2 in a name: cl105762', brandId })
  const exact = await createProduct(db, { name: 'Батарея', externalId: 'CL-105762', brandId, stock: 0 })
  const longer = await createProduct(db, { name: 'Аккумулятор', externalId: 'CL-1057623', brandId })
  const hidden = await createProduct(db, {
    name: 'Лампа',
    externalId: 'X_9/9',
    brandId,
    activeOverride: false,
  })
  const find = async (search: string) => idsOf(await list({ search, brandId }))
  for (const search of ['CL-105762', 'cl105762', 'Cl 105762']) {
    expect([search, await find(search)]).toEqual([search, [exact, named, longer]])
  }
  expect((await find('05762')).toSorted()).toEqual([named, exact, longer].toSorted())
  expect(await find('батарея CL-105762')).toEqual([exact])
  expect(await find('57')).toEqual([])
  expect(await find('X_9/9')).toEqual([])
  const path = `/api/v1/products?search=X_9/9&brandId=${brandId}`
  const forStaff = await shop.call('GET', path, { token })
  expect(idsOf(JSON.parse(forStaff.text))).toEqual([hidden])
})

test.each(['a4', 'а4'])('suggests categories and brands for %s in either script', async (q) => {
  const { db } = shop.deps
  const categoryId = await createCategory(db, { name: 'Бумага А4' })
  await createProduct(db, { brandId: await createBrand(db, 'A4-Tech'), categoryId })
  const { body } = await shop.call('GET', `/api/v1/products/suggest?q=${encodeURIComponent(q)}&limit=20`)
  expect(body).toMatchObject({
    categories: expect.arrayContaining([expect.objectContaining({ id: categoryId })]),
    brands: expect.arrayContaining([expect.objectContaining({ name: 'A4-Tech' })]),
  })
})
