import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  await set('site_name', 'Инструмент & Ко')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

async function set(key: string, value: string): Promise<void> {
  const answer = await shop.call('PUT', `/api/v1/admin/config/${key}`, { token: admin, body: { value } })
  expect([key, answer.status]).toEqual([key, 200])
}

async function seoOf(path: string, on = shop): Promise<unknown> {
  const { body } = await on.call('GET', path)
  return (body as { seo: unknown }).seo
}

/** What both instances show, once the other has received the change. */
async function shows(path: string, seo: object): Promise<void> {
  expect(await seoOf(path)).toEqual(seo)
  await expect.poll(() => seoOf(path, other), SOON).toEqual(seo)
}

async function product(): Promise<number> {
  const { db } = shop.deps
  return createProduct(db, {
    name: 'Дрель',
    price: '1000.00',
    sitePrice: '900.50',
    categoryId: await createCategory(db, { name: 'Дрели' }),
    brandId: await createBrand(db, 'Вектор'),
  })
}

async function createTag(body: { name: string; slug: string }): Promise<number> {
  const answer = await shop.call('POST', '/api/v1/tags', { token: admin, body })
  return (answer.body as { id: number }).id
}

/** A page of each kind with its placeholders, and the filled-in text. */
const kinds: [kind: string, open: () => Promise<string>, template: string, text: string][] = [
  [
    'product',
    async () => `/api/v1/products/${await product()}`,
    '{name}/{category}/{brand}/{price}/{siteName}',
    'Дрель/Дрели/Вектор/900.50 RUB/Инструмент & Ко',
  ],
  [
    'category',
    async () => {
      await createCategory(shop.deps.db, { name: 'Лампы', slug: 'lamps' })
      return '/categories/by-slug/lamps'
    },
    '{name}/{siteName}',
    'Лампы/Инструмент & Ко',
  ],
  [
    'tag',
    async () => {
      await shop.call('POST', '/api/v1/tags', { token: admin, body: { name: 'Акция', slug: 'sale' } })
      return '/tags/sale'
    },
    '{name}/{siteName}',
    'Акция/Инструмент & Ко',
  ],
]

test.each(kinds)(
  'fills in all placeholders of a %s as soon as the template changes',
  async (kind, open, template, text) => {
    const path = await open()
    // Rows that a test writes itself invalidate no cache.
    for (const { deps } of [shop, other]) deps.caches.clear()
    const title = `seo_${kind}_title_template`
    const description = `seo_${kind}_description_template`
    await seoOf(path, other)
    await set(title, `1 ${template}`)
    await set(description, `2 ${template}`)
    await shows(path, { title: `1 ${text}`, description: `2 ${text}` })
    await set(title, `3 ${template}`)
    await shows(path, { title: `3 ${text}`, description: `2 ${text}` })
    await set('site_name', 'Другой')
    const renamed = text.replace('Инструмент & Ко', 'Другой')
    await shows(path, { title: `3 ${renamed}`, description: `2 ${renamed}` })
    await set('site_name', 'Инструмент & Ко')
  },
)

test('formats the price by the currency, in lists too', async () => {
  await set('seo_product_title_template', '{price}')
  const id = await product()
  const inList = async () => {
    const { body } = await shop.call('GET', '/api/v1/products?sort=id,desc&size=1')
    return (body as { content: { seo: unknown }[] }).content[0]?.seo
  }
  expect(await inList()).toMatchObject({ title: '900.50 RUB' })
  await set('shop_currency', 'KZT')
  expect(await inList()).toMatchObject({ title: '900.50 KZT' })
  expect(await seoOf(`/api/v1/products/${id}`)).toEqual(await inList())
  await set('shop_currency', 'RUB')
})

test('hides a hidden category from the public, and leaves no gap for missing values', async () => {
  await set('seo_product_title_template', '{name} — {category} — {siteName}')
  const categoryId = await createCategory(shop.deps.db, { enabled: false, name: 'Секрет' })
  const id = await createProduct(shop.deps.db, { name: 'Дрель', categoryId })
  expect(await seoOf(`/api/v1/products/${id}`)).toMatchObject({ title: 'Дрель — Инструмент & Ко' })
})

test.each([
  ['products', 'product', (id: number) => `/api/v1/products/${id}`],
  ['categories', 'category', () => '/categories/by-slug/overridden'],
  ['tags', 'tag', () => '/tags/overridden'],
] as const)('prefers an override unless it is empty: %s', async (table, kind, pathOf) => {
  const { db } = shop.deps
  await set(`seo_${kind}_title_template`, 'T {name}')
  await set(`seo_${kind}_description_template`, 'D {name}')
  const id =
    table === 'products'
      ? await createProduct(db, { name: 'X' })
      : table === 'categories'
        ? await createCategory(db, { name: 'X', slug: 'overridden' })
        : await createTag({ name: 'X', slug: 'overridden' })
  const seoWith = async (meta_title: string | null, meta_description: string | null) => {
    await db.updateTable(table).set({ meta_title, meta_description }).where('id', '=', id).execute()
    shop.deps.caches.clear()
    return seoOf(pathOf(id))
  }
  expect(await seoWith('Own {name}', null)).toEqual({ title: 'Own {name}', description: 'D X' })
  expect(await seoWith(null, 'Own')).toEqual({ title: 'T X', description: 'Own' })
  expect(await seoWith('', '')).toEqual({ title: 'T X', description: 'D X' })
})

test('publishes the storefront’s title and description at once on both instances', async () => {
  for (const value of ['Первый', 'Второй']) {
    await set('seo_site_title', value)
    await set('seo_site_description', `${value}: описание`)
    const expected = { seo_site_title: value, seo_site_description: `${value}: описание` }
    expect((await shop.call('GET', '/api/v1/config/public')).body).toMatchObject(expected)
    await expect.poll(async () => (await other.call('GET', '/api/v1/config/public')).body, SOON).toMatchObject(expected)
  }
})
