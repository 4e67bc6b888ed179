import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Setting } from '../../../src/schemas/settings.ts'
import { createUser } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { switchTotpOn } from '../../support/totp.ts'

const LIST = '/api/v1/admin/config'

let shop: TestShop
let admin: string
beforeAll(async () => {
  shop = await startTestShop()
  // One of the settings is that staff need it.
  const { user } = await switchTotpOn(shop, await createUser(shop, 'ADMIN'))
  admin = shop.app.signToken(user)
})
afterAll(() => shop.close())

const set = (key: string, value: string) => shop.call('PUT', `${LIST}/${key}`, { token: admin, body: { value } })

test('every setting says what fits it, and its default does', async () => {
  const { body } = await shop.call('GET', LIST, { token: admin })
  for (const { key, type, allowed, min, max, ...rest } of body as Setting[]) {
    expect([key, rest.default]).toEqual([key, expect.any(String)])
    const wrong: string[] = [
      ...(allowed === null ? [] : ['none of them']),
      ...(min === null ? [] : [String(min - 1), '1.5']),
      ...(max === null ? [] : [String(max + 1)]),
      ...(type === 'EMAIL' ? ['nobody'] : []),
    ]
    for (const value of wrong) expect([key, value, (await set(key, value)).status]).toEqual([key, value, 400])
    const right = [rest.default ?? '', ...(allowed ?? []), ...[min, max].filter((bound) => bound !== null).map(String)]
    for (const value of right) expect([key, value, (await set(key, value)).status]).toEqual([key, value, 200])
  }
  const types = new Map((body as Setting[]).map(({ key, type }) => [key, type]))
  expect(types.get('job_sync_enabled')).toBe('BOOLEAN')
  expect(types.get('order_hold_hours')).toBe('INTEGER')
  expect(types.get('seo_tag_title_template')).toBe('TEMPLATE')
  expect(types.get('notification_email')).toBe('EMAIL')
})

test.each([
  ['job_sync_enabled', 'yes'],
  ['category_tree_root_category_id', '0'],
  ['category_tree_root_category_id', '2147483648'],
  ['shop_currency', 'rub'],
  ['delivery_price', '10.5'],
  ['delivery_price', '007'],
  ['feed_image_url', 'https://user:secret@images.example'],
  ['feed_product_url', 'https://user:secret@shop.example/{slug}'],
  ['delivery_days', '3-1'],
  ['delivery_days', '1-'],
  ['delivery_days', 'soon'],
  ['notification_email', 'boss'],
  ['notification_email', 'a,b@example.test'],
  ['notification_email', ' boss@example.test'],
  ['notification_email', '\u0430dmin@example.test'],
  ['notification_email', 'анна@почта.рф'],
  ['alert_email', 'boss@example.test, анна@почта.рф'],
  ['notification_email', `${'x'.repeat(250)}@example.test`],
  ['site_name', ' '],
  ['site_name', '\u200b\u0001'],
  ['customer_mails', 'ja'],
  ['mail_language', 'de'],
  ['password_reset_path', 'reset'],
  ['password_reset_path', '//evil.example'],
  ['password_reset_path', '/reset?next=1'],
  ['order_status_path', '/order/'],
  ['order_status_path', '/\r\n'],
  ['contact_limit_per_ip', '-1'],
  ['contact_limit_window_minutes', '0'],
  ['gbstore.scraping.enabled', '1'],
  ['feed_product_url', '/products/'],
  ['feed_product_url', 'products/{slug}'],
  ['feed_product_url', '//evil.example/{slug}'],
  ['feed_product_url', '/{slug}/{name}'],
  ['feed_product_url', '/{slug} x'],
  ['seo_product_title_template', '{nmae} — {siteName}'],
  ['seo_product_title_template', '{имя} — {siteName}'],
  ['seo_tag_title_template', '{ name }'],
  ['seo_tag_title_template', '{name}, {price}'],
  ['feed_product_url', `/${'x'.repeat(200)}{slug}`],
  ['feed_image_url', 'https://api.shop.example/'],
  ['feed_image_url', 'api.shop.example'],
  ['feed_image_url', 'javascript://x'],
  ['feed_pickup', 'maybe'],
])('rejects %s = %s and names the value', async (key, value) => {
  const answer = await set(key, value)
  expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path: 'value' }] }])
})

test.each(['', '0', '5', '1-3', '3-3', '10-20'])('accepts "%s" for delivery_days', async (value) => {
  expect((await set('delivery_days', value)).status).toBe(200)
})

test.each([
  ['password_reset_path', '/reset-password'],
  ['order_status_path', '/order'],
])('the fault of %s gives %s as its example', async (key, example) => {
  const { body } = await set(key, 'page')
  const message = `Must be a path of the storefront, such as ${example}`
  expect(body).toMatchObject({ details: [{ path: 'value', message }] })
})

test.each(['/reset', '/konto/neu', '/#/reset-password'])('accepts %s as a page', async (value) => {
  expect((await set('password_reset_path', value)).status).toBe(200)
})

test.each([
  ['feed_product_url', '/catalog/{id}?utm_source=feed'],
  ['seo_product_title_template', '{name} {category} {brand} {price} {siteName} {}'],
  ['feed_product_url', 'https://m.shop.example/{slug}.html'],
  ['feed_image_url', 'https://api.shop.example:8443/shop'],
  ['feed_image_url', ''],
])('accepts %s = %s', async (key, value) => {
  expect((await set(key, value)).status).toBe(200)
})

test.each([
  ['notification_email', '\u200Fboss@example.test', 'boss@example.test'],
  ['notification_email', '\u200B', ''],
  ['notification_email', 'boss@почта.рф', 'boss@почта.рф'],
  ['alert_email', 'boss@example.test, \u200Fops@example.test\u00AD', 'boss@example.test, ops@example.test'],
])('%s: stores %j as %j', async (key, value, stored) => {
  expect(await set(key, value)).toMatchObject({ status: 200, body: { value: stored } })
})
