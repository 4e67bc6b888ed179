import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Page } from '../../src/schemas/common.ts'
import type { Product } from '../../src/schemas/products.ts'
import { createBrand, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())
beforeEach(() => shop.deps.caches.clear())

async function list(query: Record<string, string | number>): Promise<Page<Product>> {
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const answer = await shop.call('GET', `/api/v1/products?${search}`)
  expect([query, answer.status]).toEqual([query, 200])
  return JSON.parse(answer.text)
}

const idsOf = ({ content }: Page<Product>) => content.map(({ id }) => id)

test('a search matches every word anywhere in the name, ignoring case and ё', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const drill = await createProduct(db, { brandId, name: 'Дрель-шуруповёрт ЗУБР 18В' })
  const lamp = await createProduct(db, { brandId, name: 'Лампа Зубр' })
  const find = async (search: string) => idsOf(await list({ brandId, search }))
  expect(await find('ШУРУПОВЕРТ')).toEqual([drill])
  expect(await find('зубр дрель')).toEqual([drill])
  expect(await find('уруповёр')).toEqual([drill])
  expect(await find('зубр')).toEqual([lamp, drill])
  expect(await find('18в')).toEqual([drill])
  expect(await find('зубр молоток')).toEqual([])
  expect(await find('   ')).toEqual([drill, lamp])
  expect(await find('')).toEqual([drill, lamp])
})

test('signs of patterns are ordinary characters', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const percent = await createProduct(db, { brandId, name: 'Juice 100% apple' })
  const underscore = await createProduct(db, { brandId, name: 'Cable A_B' })
  const slash = await createProduct(db, { brandId, name: 'Path C:\\Temp' })
  const quote = await createProduct(db, { brandId, name: 'O\'Neil "quoted" <tag>' })
  const find = async (search: string) => idsOf(await list({ brandId, search }))
  expect(await find('%')).toEqual([percent])
  expect(await find('_')).toEqual([underscore])
  expect(await find('\\')).toEqual([slash])
  expect(await find('c:\\t')).toEqual([slash])
  expect(await find("o'neil")).toEqual([quote])
  expect(await find('"quoted" <')).toEqual([quote])
  expect(await find('%a')).toEqual([])
})

test('a name is searched to its 650th character, and may be longer than any index entry', async () => {
  const brandId = await createBrand(shop.deps.db)
  // Ideographs in no order: nothing for a compressor.
  const noise = Array.from({ length: 900 }, (_, n) =>
    String.fromCharCode(0x4e00 + ((n * n * 7919) % 20_000)),
  ).join('')
  const name = `${noise.slice(0, 600)} needle ${noise.slice(600)}`
  const id = await createProduct(shop.deps.db, { brandId, name })
  expect((await list({ brandId, search: 'needle' })).content).toMatchObject([{ id, name }])
})

test('the best matches come first, unless a sort is asked for', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const inside = await createProduct(db, { brandId, name: 'Superlamp', price: '1.00' })
  const longWord = await createProduct(db, { brandId, name: 'Green desk lamp with a stand', price: '2.00' })
  const word = await createProduct(db, { brandId, name: 'Desk lamp', price: '3.00' })
  const prefix = await createProduct(db, { brandId, name: 'Lamp for a desk', price: '4.00' })
  const exact = await createProduct(db, { brandId, name: 'LAMP', price: '5.00' })
  const twin = await createProduct(db, { brandId, name: 'Lamp', price: '6.00' })
  expect(idsOf(await list({ brandId, search: 'lamp' }))).toEqual([
    exact,
    twin,
    prefix,
    word,
    longWord,
    inside,
  ])
  expect(idsOf(await list({ brandId, search: 'lamp', sort: 'price' }))).toEqual([
    inside,
    longWord,
    word,
    prefix,
    exact,
    twin,
  ])
})

test.each([
  ['шурупаверт', 'Аккумуляторный шуруповёрт Сокол'],
  ['перфаратор', 'Перфоратор Гранит 900'],
  ['logtech', 'Logitech G35'],
  ['corsiar', 'Corsair H60'],
  ['gigabite', 'Gigabyte OC'],
  ['картрдж canon', 'Картридж Canon 725'],
  ['nasos центробежый', 'Насос nasos центробежный'],
])('the misspelt %j still finds %j', async (search, name) => {
  const id = await createProduct(shop.deps.db, { name })
  const found = await list({ search })
  expect(idsOf(found)).toContain(id)
  expect(found.totalElements).toBe(found.content.length)
})

test('a word that is like nothing finds nothing, and what is spelt right is not bent', async () => {
  const id = await createProduct(shop.deps.db, { name: 'Zyxomma petiolatum' })
  expect((await list({ search: 'qqqqwwww' })).totalElements).toBe(0)
  // Both words exist, in no product together: no guessing.
  await createProduct(shop.deps.db, { name: 'Xanthorrhoea' })
  expect((await list({ search: 'zyxomma xanthorrhoea' })).totalElements).toBe(0)
  expect(idsOf(await list({ search: 'petiolatum zyxomma' }))).toEqual([id])
})
