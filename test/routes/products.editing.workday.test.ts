import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuildOutdated } from '../../src/services/published/publishing.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct, markSynchronised } from '../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

// A day's work of staff and its effect on the storefront, on this and another instance.
let here: TestShop
let there: TestShop
let editor: string
let admin: string

beforeAll(async () => {
  here = await startTestShop({ SITE_URL: 'https://shop.example' }, { publishes: true })
  there = await startTestShop(
    { SITE_URL: 'https://shop.example' },
    { databaseUrl: here.deps.config.databaseUrl, publishes: true },
  )
  editor = await loginAs(here, 'EDITOR')
  admin = await loginAs(here, 'ADMIN')
})
afterAll(async () => {
  await there.close()
  await here.close()
})

async function send(token: string, method: string, path: string, body?: unknown) {
  const answer = await here.call(method, path, { token, ...(body === undefined ? {} : { body }) })
  expect([method, path, answer.status < 300 ? 'ok' : answer.text]).toEqual([method, path, 'ok'])
  return answer.body as { id: number; slug: string }
}

const read = async (of: TestShop, path: string) => (await of.call('GET', path)).body

/** Checks this instance at once, and polls the other. */
async function shows(path: string, expected: object): Promise<void> {
  expect(await read(here, path)).toMatchObject(expected)
  await expect.poll(() => read(there, path), SOON).toMatchObject(expected)
}

const isGone = async (path: string): Promise<void> => {
  expect((await here.call('GET', path)).status).toBe(404)
  await expect.poll(async () => (await there.call('GET', path)).status, SOON).toBe(404)
}

/** Polls what the job builds. */
async function publishes(path: string, holds: string[], lacks: string[]): Promise<void> {
  await rebuildOutdated(here.deps)
  for (const instance of [here, there]) {
    const text = async () => (await instance.call('GET', path)).text
    await expect
      .poll(async () => {
        const xml = await text()
        return holds.every((part) => xml.includes(part)) && !lacks.some((part) => xml.includes(part))
      }, SOON)
      .toBe(true)
  }
}

test('a day of an editor and an administrator', async () => {
  const { db } = here.deps
  await markSynchronised(db)
  const garden = await createCategory(db, { name: 'Сад', slug: 'sad' })
  const tools = await createCategory(db, { name: 'Инструмент', slug: 'instrument' })
  const drills = await createCategory(db, { name: 'Дрели', slug: 'dreli', parentId: garden })
  const brandId = await createBrand(db, 'Вектор')
  const ids: number[] = []
  for (let n = 1; n <= 5; n++) {
    const name = `Дрель Вектор ${n}`
    ids.push(await createProduct(db, { name, slug: `drel-${n}`, price: '100.00', categoryId: drills, brandId }))
  }
  const [first = 0, second = 0, third = 0] = ids
  const card = (id: number) => `/api/v1/products/${id}`
  // Fill all caches first.
  for (const instance of [here, there]) {
    for (const path of [...ids.map(card), '/api/v1/categories/tree', '/api/v1/products', '/sitemap.xml'])
      await instance.call('GET', path)
  }

  // 9:00: rename a product; its old slug redirects to the new one.
  await send(admin, 'PATCH', card(first), { name: 'Дрель ударная Вектор', metaTitle: 'Лучшая дрель' })
  const { slug } = await send(admin, 'POST', `${card(first)}/slug/regenerate`)
  expect(slug).toBe('drel-udarnaya-vektor')
  await shows(card(first), { name: 'Дрель ударная Вектор', seo: { title: 'Лучшая дрель' }, slug })
  for (const instance of [here, there]) {
    await expect
      .poll(async () => (await instance.call('GET', '/products/by-slug/drel-1')).headers.get('location'), SOON)
      .toBe(`/products/by-slug/${slug}`)
  }
  await shows('/api/v1/products?search=ударная', { content: [{ id: first }], totalElements: 1 })

  // 11:00: hide empty categories.
  const preview = await here.call('GET', '/api/v1/categories/actions/hide-unused/preview', { token: editor })
  expect(preview.body).toMatchObject({ count: 1, categories: [{ id: tools }] })
  await send(editor, 'POST', '/api/v1/categories/actions/hide-unused/apply')
  await shows('/api/v1/categories/tree', [{ id: garden }])
  await isGone('/api/v1/categories/by-slug/instrument')
  await publishes('/sitemap.xml', ['/sad<', `/${slug}<`], ['/instrument<', '/drel-1<'])

  // 12:00: change SEO texts.
  await send(admin, 'PUT', '/api/v1/admin/config/seo_product_title_template', {
    value: '{name}: купить, {brand}',
  })
  await shows(card(second), { seo: { title: 'Дрель Вектор 2: купить, Вектор' } })
  await shows(card(first), { seo: { title: 'Лучшая дрель' } })

  // 13:00: create a landing page.
  const tag = await send(editor, 'POST', '/api/v1/tags', { name: 'Новинки' })
  await send(admin, 'PUT', `${card(second)}/tags`, { tagIds: [tag.id] })
  await shows(`/tags/${tag.slug}`, { name: 'Новинки' })
  await shows(`/api/v1/products?tagId=${tag.id}`, { content: [{ id: second }], totalElements: 1 })
  await shows(card(second), { tags: [{ name: 'Новинки' }] })
  await send(editor, 'PUT', `/api/v1/tags/${tag.id}`, { name: 'Новинки', enabled: false })
  await isGone(`/tags/${tag.slug}`)
  await shows(`/api/v1/products?tagId=${tag.id}`, { totalElements: 0 })
  await shows(card(second), { tags: [] })

  // 15:00: reduce prices in a category by ten percent and deactivate a product.
  const bulk = { filter: { categoryId: garden }, set: { sitePricePercent: 90 } }
  const dry = await here.call('PATCH', '/api/v1/products?dryRun=true', { token: admin, body: bulk })
  expect(dry.body).toMatchObject({ matched: 5, changed: 5, errors: [] })
  await shows(card(third), { finalPrice: 100 })
  await send(admin, 'PATCH', '/api/v1/products', bulk)
  await shows(card(third), { price: 90, finalPrice: 90, oldPrice: 100 })
  const cart = async (of: TestShop) =>
    (await of.call('POST', '/api/v1/cart/validate', { body: [{ productId: third, quantity: 2 }] })).body
  expect(await cart(here)).toMatchObject({ valid: true, total: 180 })
  expect(await cart(there)).toMatchObject({ valid: true, total: 180 })
  await send(admin, 'PATCH', card(third), { active: false })
  await isGone(card(third))
  expect(await cart(there)).toMatchObject({ valid: false })
  await shows('/api/v1/products', { totalElements: 4 })
  await publishes(
    '/api/v1/yml-catalog.xml',
    ['<price>90.00</price>', `/${slug}<`],
    [`<offer id="${third}"`, '/drel-1<'],
  )

  // 18:00: read the audit log.
  const audit = await here.call('GET', '/api/v1/admin/audit?size=100', { token: admin })
  const { content } = audit.body as { content: { entity: string }[] }
  for (const entity of ['PRODUCT', 'CATEGORY', 'CONFIG', 'TAG']) {
    expect(content.map((entry) => entry.entity)).toContain(entity)
  }
})
