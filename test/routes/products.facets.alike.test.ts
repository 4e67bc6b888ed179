import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Facets } from '../../src/schemas/product-search.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())
beforeEach(() => shop.deps.caches.clear())

async function read(path: string, query: Record<string, string>) {
  return JSON.parse((await shop.call('GET', `/api/v1/products${path}?${new URLSearchParams(query)}`)).text)
}

/** Spellings of one value, the first of which most products have. */
test.each([
  [['красный', 'крас\u00ADный', '\u200EКрасный', 'красный\u200B ']],
  [['2,5 мм', '2.5 мм', '2.5\u00A0ММ']],
  [['М8х40', 'M8x40', 'М8×40', 'М8*40', 'М8 х 40']],
  [['А4', 'A4', 'а4']],
  [['10–20 кг', '10-20 кг', '10‑20 кг']],
  [['Ｗｉ－Ｆｉ', 'Wi-Fi']],
  [['зелёный', 'зеленый', 'зелёный'.normalize('NFD')]],
])('takes %j for one value', async (spellings) => {
  const brandId = await createBrand(shop.deps.db)
  const [most = ''] = spellings
  for (const value of [most, ...spellings]) {
    await createProduct(shop.deps.db, { brandId, attributes: [{ name: 'Вид', value }] })
  }
  await createProduct(shop.deps.db, { brandId, attributes: [{ name: 'Вид', value: 'другой 25' }] })
  const facets: Facets = await read('/facets', { brandId: String(brandId) })
  expect(facets.attributes).toMatchObject([
    {
      name: 'Вид',
      values: [
        { value: most, count: spellings.length + 1 },
        { value: 'другой 25', count: 1 },
      ],
    },
  ])
  for (const value of spellings) {
    const found = await read('', { brandId: String(brandId), 'attr.Вид': value })
    expect([value, found.totalElements]).toEqual([value, spellings.length + 1])
  }
})

test('takes spellings of a name for one attribute, also in its settings and rules', async () => {
  const brandId = await createBrand(shop.deps.db)
  for (const name of ['Дли\u00ADна А4', 'Длина A4', 'длина\u200B а4']) {
    await createProduct(shop.deps.db, { brandId, attributes: [{ name, value: name.length === 8 ? '1' : '2' }] })
  }
  for (const [name, body] of [
    ['Длина а4', { unit: 'мм' }],
    ['ДЛИ\u00ADНА A4', { position: 1 }],
  ] as const) {
    const path = `/api/v1/admin/attributes/${encodeURIComponent(name)}`
    expect((await shop.call('PUT', path, { token: admin, body })).status).toBe(200)
  }
  const settings = await shop.deps.db.selectFrom('attribute_settings').select(['unit', 'position']).execute()
  expect(settings).toEqual([{ unit: 'мм', position: 1 }])
  const facets: Facets = await read('/facets', { brandId: String(brandId) })
  expect(facets.attributes).toMatchObject([{ unit: 'мм', values: [{ count: 2 }, { count: 1 }] }])

  const addRule = (alias: string) =>
    shop.call('POST', '/api/v1/admin/attribute-rules', { token: admin, body: { alias, name: 'Формат' } })
  expect((await addRule('Дли\u00ADна а4')).status).toBe(201)
  expect((await addRule('длина A4')).body).toMatchObject({ code: 'ALIAS_TAKEN' })
  const renamed: Facets = await read('/facets', { brandId: String(brandId) })
  expect(renamed.attributes).toMatchObject([{ name: 'Формат', values: [{ count: 2 }, { count: 1 }] }])
})
