import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ProductPage } from '../../src/schemas/products.ts'
import { refreshSales } from '../../src/services/catalogue/products.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { placeOrder } from '../support/orders.ts'
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

test('matches every word anywhere in the name, ignoring case and ё', async () => {
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
  expect(await find('   ')).toEqual([drill, lamp])
  expect(await find('')).toEqual([drill, lamp])
})

test('treats pattern characters literally', async () => {
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

test('searches the first 650 characters of a name, which may be longer than any index entry', async () => {
  const brandId = await createBrand(shop.deps.db)
  // Random ideographs, which don't compress.
  const noise = Array.from({ length: 900 }, (_, n) => String.fromCharCode(0x4e00 + ((n * n * 7919) % 20_000))).join('')
  const name = `${noise.slice(0, 600)} needle ${noise.slice(600)}`
  const id = await createProduct(shop.deps.db, { brandId, name })
  expect((await list({ brandId, search: 'needle' })).content).toMatchObject([{ id, name }])
})

test('lists the best matches first unless a sort is given', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const inside = await createProduct(db, { brandId, name: 'Superlamp', price: '1.00' })
  const longWord = await createProduct(db, { brandId, name: 'Green desk lamp with a stand', price: '2.00' })
  const word = await createProduct(db, { brandId, name: 'Desk lamp', price: '3.00' })
  const prefix = await createProduct(db, { brandId, name: 'Lamp for a desk', price: '4.00' })
  const exact = await createProduct(db, { brandId, name: 'LAMP', price: '5.00' })
  const twin = await createProduct(db, { brandId, name: 'Lamp', price: '6.00' })
  expect(idsOf(await list({ brandId, search: 'lamp' }))).toEqual([exact, twin, word, prefix, longWord, inside])
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
  // Typing errors: one in short words, two in long ones.
  ['шурупаверт', 'Аккумуляторный шуруповёрт Сокол', 'шуруповёрт'],
  ['шрупаверт', 'Аккумуляторный шуруповёрт Сокол', 'шуруповёрт'],
  ['logtech', 'Logitech G35', 'Logitech'],
  ['corsiar', 'Corsair H60', 'Corsair'],
  ['ddom', 'Дом и dom', 'dom'],
  ['картрдж canon', 'Картридж Canon 725', 'Картридж Canon'],
  ['nasos центробежый', 'Насос nasos центробежный', 'nasos центробежный'],
  // The other keyboard layout, of all words or of one.
  ['rfhnhbl; canon', 'Картридж Canon 725', 'Картридж Canon'],
  ['дщпшеуср', 'Logitech G35', 'Logitech'],
  // The other script, by sound or by look.
  ['логитек', 'Logitech G35', 'Logitech'],
  ['kartridzh', 'Картридж Canon 725', 'Картридж'],
  ['хегох', 'Бумага Xerox Colotech', 'Xerox'],
  // An article number whose parts stand apart in the name.
  ['ups3000', 'UPS 3000 VA', 'UPS 3000'],
  // Letters with accents and without a decomposition.
  ['kuchengerete', 'Küchengeräte-Set', 'Küchengeräte'],
  ['isikler', 'Renkli Işıklar', 'Işıklar'],
  ['lozzka', 'Łóżka drewniane', 'Łóżka'],
  // The least telling word: the one that no name has, or else the most frequent.
  ['тонер qqqqwwww', 'Тонер Zyx', 'Тонер'],
  ['тоннер для qqqqwwww', 'Тонер для Zyx', 'Тонер для'],
])('corrects %j, which finds %j, and names the correction', async (search, name, corrected) => {
  const id = await createProduct(shop.deps.db, { name })
  const inactive = await createProduct(shop.deps.db, { name, activeOverride: false })
  const byDefault = await list({ search, size: 100 })
  expect(idsOf(byDefault)).toContain(id)
  expect(idsOf(byDefault)).not.toContain(inactive)
  expect(byDefault.correctedSearch).toBe(corrected)
  for (const sort of ['price', 'name,desc', 'stock', 'createdAt', 'id,desc']) {
    const found = await list({ search, sort, size: 100 })
    expect([sort, found.correctedSearch]).toEqual([sort, corrected])
    expect(idsOf(found).toSorted()).toEqual(idsOf(byDefault).toSorted())
  }
  // The correction finds the same by itself.
  const direct = await list({ search: corrected, size: 100 })
  expect(direct.correctedSearch).toBeNull()
  expect(idsOf(direct)).toEqual(idsOf(byDefault))
})

test.each([
  ['картриджи', 'Картридж Kyorex 1'],
  ['чёрные картриджи', 'Картридж Kyorex, чёрный'],
  ['kyorex printers', 'Printer Kyorex'],
  ['лампы для столов', 'Лампа для стола'],
  ['tk990k', 'Тонер Kyorex TK-990K'],
  ['TK-990K', 'Тонер kyorex tk990k'],
  ['c224 364e', 'Тонер Bizex C224/284/364e'],
])('finds by %j without a correction %j', async (search, name) => {
  const id = await createProduct(shop.deps.db, { name })
  const found = await list({ search, size: 100 })
  expect(idsOf(found)).toContain(id)
  expect(found.correctedSearch).toBeNull()
})

test('finds nothing for nonsense', async () => {
  await createProduct(shop.deps.db, { name: 'Zyxomma petiolatum' })
  await createProduct(shop.deps.db, { name: 'Zyxomma Z 8' })
  for (const search of ['qqqqwwww', 'жщшыцгх', 'жщшыцгх qqqqwwww', 'z8z8z8z8', '123456', '....', '%%']) {
    expect([search, await list({ search })]).toMatchObject([search, { totalElements: 0, correctedSearch: null }])
  }
})

test('corrects a word that exists when no name has all words', async () => {
  const { db } = shop.deps
  await createProduct(db, { name: 'Резистор' })
  const id = await createProduct(db, { name: 'Регистор Umbra' })
  expect(await list({ search: 'резистор umbra' })).toMatchObject({
    correctedSearch: 'Регистор Umbra',
    content: [{ id }],
  })
})

test('does not correct a search that finds products without the filter', async () => {
  const { db } = shop.deps
  const [here, elsewhere] = [await createBrand(db), await createBrand(db)]
  await createProduct(db, { name: 'Паяльник', brandId: elsewhere })
  await createProduct(db, { name: 'Паяльнин', brandId: here })
  expect(await list({ search: 'паяльник', brandId: here })).toMatchObject({
    totalElements: 0,
    correctedSearch: null,
  })
})

test('ranks exact words before forms before parts, then by availability, sales and length', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const names = {
    part: 'Мегаперчатка',
    form: 'Перчатки',
    soldOut: 'Перчатка',
    long: 'Перчатка рабочая большая',
    sold: 'Перчатка рабочая очень большая',
  }
  const ids: Record<string, number> = {}
  for (const [key, name] of Object.entries(names)) {
    ids[key] = await createProduct(db, { name, brandId, stock: key === 'soldOut' ? 0 : 5 })
  }
  await placeOrder(shop, [{ productId: ids.sold ?? 0, quantity: 2 }])
  await refreshSales(shop.deps)
  expect(idsOf(await list({ search: 'перчатка', brandId }))).toEqual(
    ['sold', 'long', 'soldOut', 'form', 'part'].map((key) => ids[key]),
  )
  // A cancelled order doesn't count.
  await db.updateTable('orders').set({ status: 'CANCELLED' }).execute()
  await refreshSales(shop.deps)
  shop.deps.caches.clear()
  expect(idsOf(await list({ search: 'перчатка', brandId }))[0]).toBe(ids.long)
})

test('ranks a name with more exact words first', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  await createProduct(db, { brandId, name: 'Чайники красные' })
  const nearer = await createProduct(db, { brandId, name: 'Чайник красный, большой' })
  expect(idsOf(await list({ search: 'чайник красного', brandId }))[0]).toBe(nearer)
})

test('does not correct to words of inactive products', async () => {
  await createProduct(shop.deps.db, { name: 'Хронометр', activeOverride: false })
  expect(await list({ search: 'хронаметр' })).toMatchObject({ totalElements: 0, correctedSearch: null })
})

test('finds and corrects by the new name of a product at once', async () => {
  const { db } = shop.deps
  const id = await createProduct(db, { name: 'Vorpalex' })
  await db.updateTable('products').set({ name: 'Jabberwock' }).where('id', '=', id).execute()
  expect(await list({ search: 'jaberwock' })).toMatchObject({
    correctedSearch: 'Jabberwock',
    content: [{ id }],
  })
  // No name has the old word any more, so it is no correction.
  expect(await list({ search: 'vorpallex' })).toMatchObject({ totalElements: 0, correctedSearch: null })
})

test('completes words, categories, brands and products in either keyboard layout', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db, { name: 'Фрезеры и станки' })
  await createCategory(db, { name: 'Фрезерные столы', enabled: false })
  const brandId = await createBrand(db, 'Фрезолюкс')
  const id = await createProduct(db, { name: 'Фрезер Гранит ручной', categoryId, brandId, slug: 'frezer' })
  await createProduct(db, { name: 'Фрезеровка', activeOverride: false })
  await refreshSales(shop.deps)
  const suggest = async (q: string) =>
    (await shop.call('GET', `/api/v1/products/suggest?q=${encodeURIComponent(q)}`)).body
  const expected = {
    words: ['фрезер'],
    categories: [{ id: categoryId, name: 'Фрезеры и станки', slug: expect.any(String) }],
    brands: [{ id: brandId, name: 'Фрезолюкс', slug: expect.any(String) }],
    products: [{ id, name: 'Фрезер Гранит ручной', slug: 'frezer', price: 100, imageUrl: null }],
  }
  expect(await suggest('фрез')).toEqual(expected)
  expect(await suggest('ahtp')).toEqual(expected)
  expect(await suggest('фрезер гр')).toMatchObject({ words: ['фрезер гранит'], products: [{ id }] })
  expect(await suggest('фрезер ')).toMatchObject({ words: [], products: [{ id }] })
  // Corrected as a search is.
  for (const q of ['фрезре', 'фрзеер', 'фрезер щщщщщ']) {
    expect([q, await suggest(q)]).toEqual([q, { ...expected, brands: [] }])
  }
  await createProduct(db, { name: 'Çaydanlık' })
  await createProduct(db, { name: 'Фрезерный стол для фрезера' })
  shop.deps.caches.clear()
  // A search for one form finds the others.
  expect(await suggest('фрез')).toMatchObject({ words: ['фрезер', 'фрезерный'] })
  expect(await suggest('cayd')).toMatchObject({ words: ['çaydanlık'] })
  for (const q of ['', ' ', '%', 'щщщщ']) {
    expect(await suggest(q)).toEqual({ words: [], categories: [], brands: [], products: [] })
  }
})
