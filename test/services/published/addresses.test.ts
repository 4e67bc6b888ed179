import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { createUser } from '../../support/accounts.ts'
import { createCategory, createImage, createProduct, markSynchronised } from '../../support/factories.ts'
import { sentMails } from '../../support/mails.ts'
import { placeTracked } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const SITE_URL = 'https://магазин.рф/Наш магазин/'
const WRITTEN = new URL(SITE_URL).href.slice(0, -1)

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL }, { publishes: true })
  await markSynchronised(shop.deps.db)
})
afterAll(() => shop.close())

/** Addresses with a host, as a reader would find them. */
const addressesIn = (text: string) => text.match(/https?:\/\/[^\s<>"]+/g) ?? []

test('feeds, sitemap, robots.txt and mails write an address of Cyrillic host and path as browsers send it', async () => {
  const { db } = shop.deps
  const productId = await createProduct(db, { categoryId: await createCategory(db), slug: 'drel' })
  await createImage(db, { productId, displayOrder: 0 })
  for (const kind of ['feed', 'google-merchant', 'sitemap'] as const) await rebuild(shop.deps, kind)
  const texts: string[] = []
  for (const path of ['/api/v1/yml-catalog.xml', '/api/v1/google-merchant.xml', '/sitemap.xml', '/robots.txt']) {
    const { text } = await shop.call('GET', path)
    expect(text).toContain(WRITTEN)
    texts.push(text)
  }
  const user = await createUser(shop, 'USER')
  await placeTracked(shop, [{ productId, quantity: 1 }], { fields: { customerEmail: user.email } })
  await shop.call('POST', '/api/v1/auth/forgot-password', { body: { email: user.email } })
  await expect.poll(async () => (await db.selectFrom('mails').select('id').execute()).length).toBe(2)
  for (const { body, html } of await sentMails(shop)) texts.push(body, html)
  const ours = texts.flatMap(addressesIn).filter((address) => !/www\.sitemaps\.org|base\.google\.com/.test(address))
  expect(ours.length).toBeGreaterThan(15)
  for (const address of ours) expect(address.startsWith(WRITTEN), address).toBe(true)
  expect(ours).toContain(`${WRITTEN}/products/drel`)
})
