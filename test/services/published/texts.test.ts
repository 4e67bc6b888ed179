import { parse } from 'csv-parse/sync'
import { decodeHTML } from 'entities'
import { SaxesParser } from 'saxes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StaffProductCard } from '../../../src/schemas/products.ts'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createImage, markSynchronised } from '../../support/factories.ts'
import { sentMails } from '../../support/mails.ts'
import { placeTracked } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

/** Reads like HTML, and is plain. */
const TEXT = 'Q&amp;A <M> &lt;b&gt; "x" \'y\' & z'

let shop: TestShop
let token: string

beforeAll(async () => {
  shop = await startTestShop({}, { publishes: true })
  token = await loginAs(shop, 'ADMIN')
  await markSynchronised(shop.deps.db)
})
afterAll(() => shop.close())

/** The texts and attributes of the elements. */
async function textsOf(path: string): Promise<string[]> {
  const texts: string[] = []
  const parser = new SaxesParser()
  parser.on('text', (text) => texts.push(text))
  parser.on('opentag', ({ attributes }) => texts.push(...Object.values(attributes).map(String)))
  parser.write((await shop.call('GET', path)).text).close()
  return texts
}

test('a text that reads like HTML is the same in JSON, feeds, export and mails', async () => {
  const { db } = shop.deps
  const [categoryId, brandId] = [await createCategory(db, { name: TEXT }), await createBrand(db, TEXT)]
  const fields = { name: TEXT, price: 100, stock: 9, categoryId, brandId }
  const { id } = (await shop.call('POST', '/api/v1/products', { token, body: fields })).body as StaffProductCard
  const attributes = [{ name: TEXT, value: TEXT }]
  const card = await shop.call('PUT', `/api/v1/products/${id}/attributes`, { token, body: attributes })
  expect(card.status).toBe(200)
  await createImage(db, { productId: id, displayOrder: 0 })

  expect((await shop.call('GET', `/api/v1/products/${id}`)).body).toMatchObject({
    name: TEXT,
    attributes,
    category: { name: TEXT },
    brand: { name: TEXT },
    breadcrumbs: [{ name: TEXT }],
    seo: { title: `${TEXT} — Shop` },
    images: [{ alt: TEXT }],
  })
  for (const kind of ['feed', 'google-merchant'] as const) await rebuild(shop.deps, kind)
  // Category, name, vendor, name and value of the parameter.
  expect((await textsOf('/api/v1/yml-catalog.xml')).filter((text) => text === TEXT)).toHaveLength(5)
  // Title, description for want of another, brand, product type.
  expect((await textsOf('/api/v1/google-merchant.xml')).filter((text) => text === TEXT)).toHaveLength(4)
  const csv = (await shop.call('GET', '/api/v1/admin/products/export', { token })).text
  const [, row = []] = parse(csv, { delimiter: ';', bom: true }) as string[][]
  expect(row.filter((cell) => cell === TEXT)).toHaveLength(3)

  await placeTracked(shop, [{ productId: id, quantity: 1 }], { fields: { customerEmail: 'anna@example.test' } })
  const mails = (await sentMails(shop)).filter(({ to }) => to === 'anna@example.test')
  expect(mails).toHaveLength(1)
  for (const { body, html } of mails) {
    expect(body).toContain(`1. ${TEXT} — 1 ×`)
    expect(decodeHTML(html.replace(/<[^>]*>/g, ''))).toContain(`1. ${TEXT} — 1 ×`)
  }
})
