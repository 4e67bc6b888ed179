import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: 'https://shop.example' })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

const read = () => shop.call('GET', '/.well-known/security.txt')

test('names no contact until there is one', async () => {
  expect((await read()).status).toBe(404)
})

test.each([
  ['security@shop.example', 'mailto:security@shop.example'],
  ['https://shop.example/security', 'https://shop.example/security'],
])('names the contact %s', async (setting, contact) => {
  expect((await setSetting(shop, admin, 'shop_security_contact', setting)).status).toBe(200)
  const { status, headers, text } = await read()
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const fields = Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/, 2)),
  )
  expect(fields).toEqual({
    Contact: contact,
    Expires: expect.any(String),
    'Preferred-Languages': 'ru, en',
    Canonical: 'https://shop.example/.well-known/security.txt',
  })
  const days = (Date.parse(String(fields.Expires)) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(89)
  expect(days).toBeLessThan(366)
})

test.each(['x', 'http://shop.example', 'javascript:alert(1)', 'a@b.example\nContact: x'])(
  'refuses %j',
  async (value) => {
    expect((await setSetting(shop, admin, 'shop_security_contact', value)).status).toBe(400)
  },
)
