import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Suggestions } from '../../src/schemas/product-search.ts'
import type { ProductPage } from '../../src/schemas/products.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())
beforeEach(() => shop.deps.caches.clear())

async function list(query: Record<string, string>): Promise<ProductPage> {
  const { text } = await shop.call('GET', `/api/v1/products?${new URLSearchParams(query)}`)
  return JSON.parse(text)
}

const SIZES = ['Болт М8х40', 'Болт M8x40', 'Болт М8×40', 'Болт М8*40', 'Болт М8 х 40', 'Болт M8 × 40', 'Болт M8 *40']

/** Names, and searches that each find all of them. */
test.each<[names: string[], searches: string[]]>([
  // Decimals with either sign, and their units apart or not.
  [
    ['Сок 0,5 л', 'Сок 0.5 л', 'Сок 0,5л', 'СОК 0.5Л'],
    ['сок 0.5 л', 'сок 0,5л', 'сок 0,5 л', 'сок 0.5л', '0,5'],
  ],
  [
    ['Трос 2,5 мм', 'Трос 2.5мм'],
    ['2.5мм', '2,5мм', 'трос 2.5 мм', 'трос 2,5'],
  ],
  [
    ['Дрель 18В', 'Дрель 18 В'],
    ['18в', '18 В', 'дрель 18В'],
  ],
  // Sizes with any sign, in letters of either script.
  [SIZES, ['М8х40', 'm8x40', 'М8×40', 'м8*40', 'М8 х 40', 'болт m8 x 40', 'М8 х40', 'болт м8', 'болт 40', '8х40']],
  [
    ['Кабель ВВГ3х2.5', 'Кабель ВВГ3×2,5'],
    ['ввг3х2,5', 'ввг3*2.5', 'ввг', '3x2,5', '2.5', 'кабель 3 × 2,5'],
  ],
  // Hyphens, blanks, or nothing.
  [
    ['Веб камера', 'Веб-камера', 'Вебкамера', 'Веб‑камера', 'Веб–камера'],
    ['веб-камера', 'веб камера', 'веб—камеры'],
  ],
  [
    ['Веб-камера Q', 'Вебкамера Q'],
    ['вебкамера q', 'вебкам'],
  ],
  [
    ['Роутер Wi Fi', 'Роутер Wi-Fi', 'Роутер WiFi'],
    ['wi-fi', 'роутер wi‑fi', 'Wi–Fi роутер'],
  ],
  [
    ["М'ята", 'М’ята', 'Мʼята', 'Мята'],
    ["м'ята", 'м’ята', 'мята'],
  ],
  // What can't be seen.
  [
    ['Ско\u00ADво\u00ADрода', 'Сковорода', '\u200EСковорода\u200F'],
    ['сковорода', 'сково\u00ADрода', '\u202Bсковороду'],
  ],
  [['Чайник'], ['чайник\u200B', '\uFEFFчай\u2060ник', 'чай\u200Dник']],
  [['Лоток\u00A0А4'], ['лоток а4', 'лоток\u00A0A4']],
  // Full-width forms.
  [['Toner TK-510'], ['ＴＫ－５１０', 'ｔｋ５１０']],
  // The beginning or the inside of a Cyrillic word with a digit.
  [
    ['Принтер мфу5', 'Принтер МФУ-5'],
    ['мфу', 'мфу5', 'принтер мфу', 'мф'],
  ],
  [['Перфоратор зубр200'], ['зубр', 'зубр200', 'убр']],
  [['Мопед хонда50 кросс'], ['хонда', 'онда', 'хонда50', 'xонда50']],
])('%j are found by each of %j', async (names, searches) => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const ids: number[] = []
  for (const name of names) ids.push(await createProduct(db, { name, brandId }))
  for (const search of searches) {
    const { content, correctedSearch } = await list({ search, brandId: String(brandId), sort: 'id' })
    expect([search, content.map(({ id }) => id), correctedSearch]).toEqual([search, ids, null])
  }
})

test.each<[name: string, typed: string[]]>([
  ['Сок 0,5 л', ['сок 0.5 л', 'сок 0,5л', 'сок 0.5']],
  ['Болт М8 × 40', ['болт m8x', 'м8х40']],
  ['Веб камера', ['веб-ка', 'веб–камера', 'веб-камера ']],
  ['Ско\u00ADво\u00ADрода', ['сково', 'ско\u200Bво']],
  ['Шкаф мфу5', ['мфу', 'шкаф мфу5', 'mфу5']],
])('suggests %j for each of %j', async (name, typed) => {
  const { db } = shop.deps
  const categoryId = await createCategory(db, { name })
  const brandId = await createBrand(db, name)
  const id = await createProduct(db, { name, brandId, categoryId })
  for (const q of typed) {
    const { text } = await shop.call('GET', `/api/v1/products/suggest?${new URLSearchParams({ q, limit: '20' })}`)
    const { products, categories, brands }: Suggestions = JSON.parse(text)
    const found = [products, categories, brands].map((all) => all.map((one) => one.id))
    expect([q, found]).toEqual([q, [[id], [categoryId], [brandId]].map((ids) => expect.arrayContaining(ids))])
  }
})

test('never corrects a number to another one', async () => {
  const { db } = shop.deps
  for (const name of ['Квас 1,5 л', 'Квас 10,5 л', 'Квас 0,55 л', 'Патрон E27', 'Тонер TK510K', 'Морс 5 л']) {
    await createProduct(db, { name })
  }
  for (const search of ['квас 0.5л', 'квас 0,5 л', 'квас 15л', 'квас 1.6 л', 'квас 5 л', 'квас 3.5k']) {
    const { correctedSearch } = await list({ search })
    expect([search, correctedSearch]).toEqual([search, expect.stringMatching(/^Квас( л)?$/)])
  }
  // Misspelt words beside numbers are corrected.
  expect(await list({ search: 'кавс 1.5л' })).toMatchObject({ totalElements: 1, correctedSearch: 'Квас 1.5л' })
  expect(await list({ search: 'rdfc 1.5k' })).toMatchObject({ totalElements: 1, correctedSearch: 'Квас 1.5л' })
  for (const search of ['e28', 'патрн e28', 'tk511k', 'tk501k']) {
    const { content } = await list({ search })
    expect([search, content.map(({ name }) => name).filter((name) => name !== 'Патрон E27')]).toEqual([search, []])
  }
})

test('finds nothing for several words of nonsense, even where one resembles a word', async () => {
  const { db } = shop.deps
  await createProduct(db, { name: 'Перфораторы Тармекс' })
  for (const search of ['перфоратор хилти 800вт', 'перфоратор хилти макита', 'перфаратор хилти'])
    expect([search, (await list({ search })).correctedSearch]).toEqual([search, expect.stringMatching(/^перфоратор/i)])
  for (const name of ['Блок сменной заслонки', 'Тираж Зебру Лот', 'Бегемотовый соус']) await createProduct(db, { name })
  for (const search of [
    'слон жираф ананас',
    'слон жираф',
    'перфаратор хилти макита',
    'тиражж носорог крокодил',
    '!!!',
    '---',
    '– —',
  ]) {
    expect([search, await list({ search })]).toMatchObject([search, { totalElements: 0, correctedSearch: null }])
  }
})
