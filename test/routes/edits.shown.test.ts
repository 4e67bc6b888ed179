import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateVisibility } from '../../src/services/catalogue/category-visibility.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { imageForm, newImage } from '../support/images.ts'
import { placeOrder } from '../support/orders.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

// After each edit, two instances that have cached everything answer as one does that starts afterwards.
let shop: TestShop
let other: TestShop
let admin: string
let ids: Awaited<ReturnType<typeof createRecords>>
const start = () => startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await start()
  admin = await loginAs(shop, 'ADMIN')
  ids = await createRecords()
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

type Body = { id: number }
const call = async (method: string, path: string, body?: unknown) => {
  const answer = await shop.call(method, `/api/v1${path}`, { token: admin, ...(body === undefined ? {} : { body }) })
  expect([method, path, answer.status < 300, answer.status < 300 || answer.text]).toEqual([method, path, true, true])
  return answer.body as Body
}
const upload = async () => {
  const { body } = await shop.call('POST', '/api/v1/images', { token: admin, form: imageForm(await newImage()) })
  return (body as Body).id
}

async function createRecords() {
  const { db } = shop.deps
  const parent = await createCategory(db, { name: 'Инструмент', slug: 'tools', showInHomepage: true })
  const category = await createCategory(db, { name: 'Дрели', slug: 'drills', parentId: parent, showInHomepage: true })
  const empty = await createCategory(db, { name: 'Прочее', slug: 'rest' })
  const brand = await createBrand(db, 'Вектор')
  const attributes = ['синий', 'красный'].map((value) => ({ name: 'Цвет', value }))
  const [first = 0, second = 0] = await Promise.all(
    attributes.map((attribute, n) =>
      createProduct(db, {
        ...{ name: `Дрель ${n}`, slug: `drill-${n}`, categoryId: category, brandId: brand, stock: 3 },
        attributes: [attribute],
      }),
    ),
  )
  const { id: tag } = await call('POST', '/tags', { name: 'Скидки', slug: 'sale' })
  const [image, further] = [await upload(), await upload()]
  await call('PUT', `/products/${first}/tags`, { tagIds: [tag] })
  await call('PUT', `/products/${first}/images`, { imageIds: [image] })
  const { id: banner } = await call('POST', '/banner-blocks', { title: 'Лето', imageId: image, active: true })
  const { id: feature } = await call('POST', '/feature-items', { title: 'Быстро', active: true })
  const review = { author: 'Анна', rating: 4, text: 'Хорошо', reviewDate: '2026-11-01', productId: first, active: true }
  const { id: reviewId } = await call('POST', '/reviews', review)
  return { parent, category, empty, brand, first, second, tag, image, further, banner, feature, reviewId, review }
}

const paths = () =>
  [
    ...['', '?search=дрель', '?search=drel', `?categoryId=${ids.parent}`, `?brandId=${ids.brand}`, `?tagId=${ids.tag}`],
    ...['?inStock=true', '?sort=price', '?attr.Цвет=синий', `/${ids.first}`, `/${ids.second}`, '/by-slug/drill-0'],
    ...['/facets', `/facets?categoryId=${ids.parent}`, '/suggest?q=дре', '/suggest?q=век', '/suggest?q=инстр'],
  ].map((path) => `/api/v1/products${encodeURI(path)}`)

const otherPaths = [
  ...['categories', 'categories/tree', 'categories/homepage', 'categories/by-slug/tools', 'categories/by-slug/drills'],
  ...['brands', 'tags/by-slug/sale', 'banner-blocks/active', 'feature-items/active', 'reviews/active', 'config/public'],
].map((path) => `/api/v1/${path}`)

/** What a shop shows: to anyone, and the card and a list to staff. */
async function shownBy({ url }: TestShop): Promise<string[]> {
  const ofStaff = [`/api/v1/products/${ids.first}`, '/api/v1/products', '/api/v1/categories']
  const headers = { authorization: `Bearer ${admin}` }
  const requests = [...paths(), ...otherPaths].map((path) => new Request(url + path))
  requests.push(...ofStaff.map((path) => new Request(url + path, { headers })))
  return Promise.all(
    requests.map(async (request) => {
      const response = await fetch(request)
      const text = await response.text()
      // Errors have an id of their own.
      return `${request.url.slice(url.length)} ${response.status} ${response.ok ? text : ''}`
    }),
  )
}

const edits: [string, () => Promise<unknown>][] = [
  ['the name of a product', () => call('PATCH', `/products/${ids.first}`, { name: 'Дрель ударная' })],
  ['its former name', () => call('PATCH', `/products/${ids.first}`, { clearOverrides: ['name'] })],
  ['its description', () => call('PATCH', `/products/${ids.first}`, { description: '<p>Новая</p>' })],
  ['its price', () => call('PATCH', `/products/${ids.first}`, { sitePrice: 80 })],
  ['its first price of the site cleared', () => call('PATCH', `/products/${ids.first}`, { sitePrice: null })],
  ['its category', () => call('PATCH', `/products/${ids.second}`, { categoryId: ids.empty })],
  ['its slug', () => call('PUT', `/products/${ids.first}/slug`, { slug: 'drill-new' })],
  ['its attributes', () => call('PUT', `/products/${ids.first}/attributes`, [{ name: 'Цвет', value: 'белый' }])],
  ['its tags', () => call('PUT', `/products/${ids.second}/tags`, { tagIds: [ids.tag] })],
  ['its images', () => call('PUT', `/products/${ids.first}/images`, { imageIds: [ids.further, ids.image] })],
  ['its SEO data', () => call('PATCH', `/products/${ids.first}`, { metaTitle: 'Лучшая дрель' })],
  ['an inactive product', () => call('PATCH', `/products/${ids.first}`, { active: false })],
  ['an active one', () => call('PATCH', `/products/${ids.first}`, { active: true })],
  ['many prices', () => call('PATCH', '/products', { ids: [ids.first, ids.second], set: { sitePricePercent: 90 } })],
  ['the last pieces sold', () => placeOrder(shop, [{ productId: ids.second, quantity: 3 }])],
  ['the name of a category', () => call('PUT', `/categories/${ids.category}`, { name: 'Дрельки' })],
  ['its parent', () => call('POST', `/categories/${ids.category}/move`, { parentId: ids.empty, position: 0 })],
  ['its slug', () => call('PUT', `/categories/${ids.parent}/slug`, { slug: 'instruments' })],
  [
    'the order of categories',
    () => call('POST', '/categories/reorder', { parentId: null, ids: [ids.empty, ids.parent] }),
  ],
  ['a hidden category', () => call('PUT', `/categories/${ids.empty}`, { name: 'Прочее', enabled: false })],
  ['a visible one', () => call('PUT', `/categories/${ids.empty}`, { name: 'Прочее', enabled: true })],
  ['unused categories', () => call('POST', '/categories/actions/hide-unused/apply')],
  [
    'a pattern that hides categories',
    async () => {
      await call('POST', '/admin/category-filters', { pattern: 'Дрель', target: 'name', active: true })
      await updateVisibility(shop.deps)
    },
  ],
  ['a brand', () => call('PUT', `/admin/brands/${ids.brand}`, { name: 'Вектор Плюс', slug: 'vector-plus' })],
  ['a tag', () => call('PUT', `/tags/${ids.tag}`, { name: 'Распродажа', slug: 'sale' })],
  ['a disabled tag', () => call('PUT', `/tags/${ids.tag}`, { name: 'Распродажа', slug: 'sale', enabled: false })],
  ['the name of the shop', () => call('PUT', '/admin/config/site_name', { value: 'Другой магазин' })],
  ['a template', () => call('PUT', '/admin/config/seo_product_title_template', { value: '{name}: {siteName}' })],
  [
    'an attribute',
    () => call('PUT', `/admin/attributes/${encodeURI('Цвет')}`, { filterable: false, position: 1, unit: null }),
  ],
  ['a review', () => call('PUT', `/reviews/${ids.reviewId}`, { ...ids.review, rating: 1 })],
  ['an inactive review', () => call('PUT', `/reviews/${ids.reviewId}`, { ...ids.review, active: false })],
  ['a banner', () => call('PUT', `/banner-blocks/${ids.banner}`, { title: 'Осень', imageId: ids.further })],
  ['a feature', () => call('PUT', `/feature-items/${ids.feature}`, { title: 'Надёжно', active: false })],
  [
    'an image of another size',
    async () => {
      const form = imageForm(await newImage({ width: 64, height: 48 }))
      const path = `/api/v1/images/${ids.further}/replace`
      expect((await shop.call('PUT', path, { token: admin, form })).status).toBe(200)
    },
  ],
  ['a deleted image', () => call('DELETE', `/images/${ids.further}?force=true`)],
  ['a deleted product', () => call('DELETE', `/products/${ids.second}`)],
  ['a deleted category', () => call('DELETE', `/categories/${ids.category}`)],
]

test('shows every edit at once, on every instance', async () => {
  const unnoticed = []
  for (const one of [shop, other]) await shownBy(one)
  for (const [name, edit] of edits) {
    // Answers are cached when they are asked for the second time.
    const before = await shownBy(shop)
    await shownBy(other)
    await edit()
    const after = await shownBy(shop)
    const fresh = await start()
    const expected = await shownBy(fresh)
    await fresh.close()
    expect([name, after]).toEqual([name, expected])
    await expect.poll(() => shownBy(other), SOON).toEqual(expected)
    if (JSON.stringify(before) === JSON.stringify(expected)) unnoticed.push(name)
  }
  expect(unnoticed).toEqual([])
})
