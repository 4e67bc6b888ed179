import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/schemas/audit.ts'
import type { ProductCard } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createImage, createProduct } from '../support/factories.ts'
import { placeOrder } from '../support/orders.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const PRODUCTS = '/api/v1/products'
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  shop.call(method, PRODUCTS + path, { token: admin, headers, ...(body === undefined ? {} : { body }) })
async function edit(method: string, path: string, body?: unknown, status = 200): Promise<ProductCard> {
  const answer = await send(method, path, body)
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
  return answer.body as ProductCard
}
/** The product as the public sees it: card, list, cart and by slug. */
async function seen(id: number, on = shop) {
  const card = (await on.call('GET', `${PRODUCTS}/${id}`)).body as ProductCard
  const list = (await on.call('GET', `${PRODUCTS}?size=100&sort=id,desc`)).body as { content: ProductCard[] }
  const cart = await on.call('POST', '/api/v1/cart/validate', { body: [{ productId: id, quantity: 1 }] })
  const bySlug = await on.call('GET', `/products/by-slug/${card.slug}`)
  return {
    card,
    inList: list.content.find((product) => product.id === id),
    inCart: (cart.body as { items: object[] }).items[0],
    bySlug: bySlug.body,
  }
}
async function audit(id: number): Promise<AuditEntry[]> {
  const path = `/api/v1/admin/audit?entity=PRODUCT&entityId=${id}`
  const { body } = await shop.call('GET', path, { token: admin })
  return (body as { content: AuditEntry[] }).content
}

test('shows a new product and each edit of it at once on every instance', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  const brandId = await createBrand(db)
  await shop.call('GET', `${PRODUCTS}?size=100&sort=id,desc`)
  await other.call('GET', `${PRODUCTS}?size=100&sort=id,desc`)
  const made = await edit(
    'POST',
    '',
    {
      name: '  Подарочный \n сертификат ',
      description: '<p>Лучший подарок</p>',
      price: 3000.5,
      stock: 7,
      categoryId,
      brandId,
      metaTitle: ' Сертификат ',
    },
    201,
  )
  expect(made).toMatchObject({
    externalId: null,
    name: 'Подарочный сертификат',
    slug: 'podarochnyy-sertifikat',
    price: 3000.5,
    sitePrice: null,
    finalPrice: 3000.5,
    stock: 7,
    available: true,
    category: { id: categoryId },
    brand: { id: brandId },
    metaTitle: 'Сертификат',
    seo: { title: 'Сертификат' },
    version: 1,
    overrides: [],
    activeOverride: null,
  })
  const { id } = made
  for (const on of [shop, other]) {
    await expect
      .poll(() => seen(id, on), SOON)
      .toMatchObject({
        card: { id, description: '<p>Лучший подарок</p>' },
        inList: { id, finalPrice: 3000.5 },
        inCart: { price: 3000.5, available: true, availableQuantity: 7 },
        bySlug: { id },
      })
  }

  const changed = await edit('PATCH', `/${id}`, { sitePrice: 2500, stock: 3 })
  expect(changed).toMatchObject({ version: 2, finalPrice: 2500, price: 3000.5, name: made.name })
  for (const on of [shop, other]) {
    await expect
      .poll(() => seen(id, on), SOON)
      .toMatchObject({
        card: { finalPrice: 2500, stock: 3 },
        inList: { finalPrice: 2500 },
        inCart: { price: 2500, availableQuantity: 3 },
      })
  }
  const replacement = { name: 'Сертификат', sitePrice: null, categoryId: null, active: true }
  const replaced = await edit('PUT', `/${id}`, replacement)
  // Repeating what the supplier decided overrides nothing.
  expect(replaced).toMatchObject({ active: true, activeOverride: null })
  expect(replaced).toMatchObject({ version: 3, finalPrice: 3000.5, category: null, brand: { id: brandId } })
  expect(replaced).toMatchObject({ slug: made.slug, metaTitle: 'Сертификат', stock: 3 })

  await edit('PATCH', `/${id}`, { active: false })
  for (const on of [shop, other]) {
    await expect.poll(async () => (await on.call('GET', `${PRODUCTS}/${id}`)).status, SOON).toBe(404)
    expect((await on.call('GET', `/products/by-slug/${made.slug}`)).status).toBe(404)
  }
  expect(await edit('PATCH', `/${id}`, { active: null })).toMatchObject({
    active: true,
    activeOverride: null,
  })
  expect((await send('DELETE', `/${id}`)).status).toBe(204)
  for (const on of [shop, other]) {
    await expect.poll(async () => (await on.call('GET', `${PRODUCTS}/${id}`)).status, SOON).toBe(404)
    const list = await on.call('GET', `${PRODUCTS}?size=100&sort=id,desc`)
    expect((list.body as { content: ProductCard[] }).content.map((product) => product.id)).not.toContain(id)
  }
  for (const [method, path, body] of [
    ['DELETE', `/${id}`],
    ['PATCH', `/${id}`, {}],
    ['PUT', `/${id}`, { name: 'x' }],
    ['PUT', `/${id}/attributes`, []],
    ['PUT', `/${id}/tags`, { tagIds: [] }],
    ['PUT', `/${id}/slug`, { slug: 'x' }],
    ['POST', `/${id}/slug/regenerate`],
    ['POST', `/${id}/images/1`],
    ['DELETE', `/${id}/images/1`],
    ['PATCH', '/99999999999', {}],
    ['POST', `/${id}/images/99999999999`],
  ] as const) {
    expect([path, (await send(method, path, body)).status]).toEqual([path, 404])
  }
})

test('frees the slug of a deleted product, and numbers equal names', async () => {
  const first = await edit('POST', '', { name: 'Одно имя' }, 201)
  const second = await edit('POST', '', { name: 'Одно имя' }, 201)
  expect([first.slug, second.slug]).toEqual(['odno-imya', 'odno-imya-2'])
  await send('DELETE', `/${first.id}`)
  expect((await shop.call('GET', '/products/by-slug/odno-imya')).status).toBe(404)
  expect((await edit('POST', `/${second.id}/slug/regenerate`)).slug).toBe('odno-imya-2')
  expect((await edit('PUT', `/${second.id}/slug`, { slug: 'odno-imya' })).slug).toBe('odno-imya')
  const nameless = await edit('POST', '', { name: '!!!' }, 201)
  expect(nameless.slug).toMatch(new RegExp(`^product-${nameless.id}(-2)?$`))
})

test('clears SEO texts by an empty value or by their flag', async () => {
  const id = await createProduct(shop.deps.db, { name: 'Дрель' })
  const texts = { metaTitle: 'T', metaDescription: 'D' }
  const template = { metaTitle: null, seo: { title: 'Дрель — Shop' } }
  expect(await edit('PATCH', `/${id}`, texts)).toMatchObject({ ...texts, seo: { title: 'T' } })
  expect(await edit('PATCH', `/${id}`, { metaTitle: '' })).toMatchObject({
    ...template,
    metaDescription: 'D',
  })
  await edit('PATCH', `/${id}`, texts)
  expect(await edit('PATCH', `/${id}`, { clearMetaTitle: true })).toMatchObject(template)
  expect(await edit('PATCH', `/${id}`, { clearMetaDescription: true, metaDescription: null })).toMatchObject({
    metaDescription: null,
  })
  await edit('PATCH', `/${id}`, texts)
  expect(await edit('PATCH', `/${id}`, { metaTitle: null, clearMetaDescription: false })).toMatchObject({
    metaTitle: null,
    metaDescription: 'D',
  })
})

test('rejects an older version with 412, and doesn’t count an edit without effect', async () => {
  const id = await createProduct(shop.deps.db, { externalId: null, name: 'Версия', slug: 'versiya' })
  const { db } = shop.deps
  const image = await createImage(shop.deps.db)
  const tag = await db.insertInto('tags').values({ name: 'v', slug: 'v' }).returning('id').executeTakeFirstOrThrow()
  const writes: [string, string, unknown][] = [
    ['PUT', `/${id}`, { name: 'Версия 2' }],
    ['PATCH', `/${id}`, { description: 'x' }],
    ['PUT', `/${id}/attributes`, [{ name: 'a', value: 'b' }]],
    ['PUT', `/${id}/tags`, { tagIds: [tag.id] }],
    ['POST', `/${id}/images/${image}`, undefined],
    ['PUT', `/${id}/slug`, { slug: 'versiya-dva' }],
    ['POST', `/${id}/slug/regenerate`, undefined],
    ['DELETE', `/${id}/images/${image}`, undefined],
    ['DELETE', `/${id}`, undefined],
  ]
  let version = 1
  for (const [method, path, body] of writes) {
    const stale = await send(method, path, body, { 'if-match': `"${version + 1}"` })
    expect([method, path, stale.status]).toEqual([method, path, 412])
    expect(stale.body).toMatchObject({ code: 'STALE', current: { id, version } })
    const done = await send(method, path, body, { 'if-match': `"${version}"` })
    version += 1
    if (method === 'DELETE') expect(done.status).toBe(204)
    else {
      expect(done.body).toMatchObject({ version })
      expect((await send(method, path, body)).body).toMatchObject({ version })
    }
  }
  expect((await audit(id)).map(({ action }) => action)).toEqual(['DELETE', ...Array(8).fill('UPDATE')])
})

test('audits differences, prices included', async () => {
  const id = await createProduct(shop.deps.db, { price: '100.00' })
  await edit('PATCH', `/${id}`, { sitePrice: 90, active: false })
  await edit('PUT', `/${id}/attributes`, [{ name: 'Цвет', value: 'синий' }])
  const [attributes, fields] = await audit(id)
  expect(fields).toMatchObject({
    entity: 'PRODUCT',
    before: { sitePrice: null, active: null },
    after: { sitePrice: 90, active: false },
  })
  expect([attributes?.before, attributes?.after]).toEqual([
    { attributes: [] },
    { attributes: [{ name: 'Цвет', value: 'синий' }] },
  ])
})

test('keeps the order lines and reviews of a deleted product', async () => {
  const id = await createProduct(shop.deps.db, { name: 'Заказанный', stock: 5 })
  const order = await placeOrder(shop, [{ productId: id, quantity: 2 }])
  const review = { author: 'Анна', rating: 5, text: 'Да', reviewDate: '2026-11-01', productId: id }
  await shop.call('POST', '/api/v1/reviews', { token: admin, body: review })
  const reviews = async () => (await shop.call('GET', '/api/v1/reviews/active')).body
  expect(await reviews()).toMatchObject([{ productId: id }])
  expect((await send('DELETE', `/${id}`)).status).toBe(204)
  expect(await reviews()).toMatchObject([{ productId: null }])
  const { body } = await shop.call('GET', `/api/v1/admin/orders/${order.id}`, { token: admin })
  expect(body).toMatchObject({
    status: 'NEW',
    total: order.total,
    items: [{ productId: null, productName: 'Заказанный', quantity: 2 }],
  })
  expect(
    (
      await shop.call('PATCH', `/api/v1/admin/orders/${order.id}`, {
        token: admin,
        body: { status: 'CANCELLED' },
      })
    ).status,
  ).toBe(200)
})

test('shows staff fields to staff only', async () => {
  const id = await createProduct(shop.deps.db, { name: 'Для своих' })
  await edit('PATCH', `/${id}`, { name: 'Своё имя', description: 'x' })
  const forStaff = ['version', 'activeOverride', 'overrides', 'supplier']
  expect(Object.keys((await send('GET', `/${id}`)).body as object)).toEqual(expect.arrayContaining(forStaff))
  const { card, inList, bySlug } = await seen(id)
  for (const shown of [card, inList, bySlug]) {
    expect(Object.keys(shown ?? {}).filter((name) => forStaff.includes(name))).toEqual([])
  }
  const buyer = await loginAs(shop, 'USER')
  const asBuyer = await shop.call('GET', `${PRODUCTS}/${id}`, { token: buyer })
  expect(asBuyer.text).toBe((await shop.call('GET', `${PRODUCTS}/${id}`)).text)
  for (const role of ['USER', 'EDITOR', 'MANAGER'] as const) {
    const token = await loginAs(shop, role)
    expect((await shop.call('PATCH', `${PRODUCTS}/${id}`, { token, body: { name: 'x' } })).status).toBe(403)
  }
})

test('takes no site price of 0, which would take the product off sale; null clears it', async () => {
  const id = await createProduct(shop.deps.db, { price: '100.00', sitePrice: '90.00' })
  const send = (method: string, path: string, sitePrice: number | null) =>
    shop.call(method, `${PRODUCTS}${path}`, { token: admin, body: { name: 'Чайник', sitePrice } })
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', `/${id}`],
    ['PATCH', `/${id}`],
  ] as const) {
    expect(await send(method, path, 0)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'sitePrice', message: 'The smallest value is 0.01' }] },
    })
  }
  expect((await send('PATCH', `/${id}`, 0.01)).body).toMatchObject({ finalPrice: 0.01 })
  expect((await send('PATCH', `/${id}`, null)).body).toMatchObject({ sitePrice: null, finalPrice: 100 })
})
