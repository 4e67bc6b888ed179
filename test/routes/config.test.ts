import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
  const row = (key: string, value: string, is_public = true) => ({ key, value, is_public })
  await shop.deps.db
    .insertInto('app_config')
    .values([row('constructor', 'built'), row('batch', 'of tests'), row('hidden', 'secret', false), row('a.b-c_1', '')])
    .execute()
})
afterAll(() => shop.close())

test('returns the public settings as one object', async () => {
  const answer = await shop.call('GET', '/api/v1/config/public')
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      constructor: 'built',
      batch: 'of tests',
      'a.b-c_1': '',
      consent_required: 'false',
      delivery_days: '',
      delivery_methods: '[]',
      delivery_price: '',
      privacy_policy_version: '',
      seo_site_description: '',
      seo_site_title: '',
      shop_company: '',
      shop_currency: 'RUB',
      site_name: 'Shop',
      siteUrl: shop.deps.config.siteUrl,
    },
  ])
})

test.each([
  ['site_name', 'Shop'],
  ['constructor', 'built'],
  ['batch', 'of tests'],
  ['a.b-c_1', ''],
])('GET /config/%s returns key and value', async (key, value) => {
  const answer = await shop.call('GET', `/api/v1/config/${key}`)
  expect([answer.status, answer.body]).toEqual([200, { key, value }])
})

test.each([
  'hidden',
  'job_sync_enabled',
  'notification_email',
  'no_such',
  '__proto__',
  'toString',
  'site%20name',
  'a%2Fb',
  'x'.repeat(101),
  '%00',
  encodeURIComponent("' or 1=1 --"),
])('GET /config/%s is a 404', async (key) => {
  const answer = await shop.call('GET', `/api/v1/config/${key}`)
  expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })])
})

test.each([
  ['wrapped', (keys: string[]) => ({ keys })],
  ['bare', (keys: string[]) => keys],
])('returns the public ones of a batch of keys (%s)', async (_form, body) => {
  const asked = ['site_name', 'hidden', 'notification_email', 'no such key', '__proto__', 'constructor', 'site_name']
  const answer = await shop.call('POST', '/api/v1/config/batch', { body: body(asked) })
  expect([answer.status, answer.text]).toEqual([200, '{"constructor":"built","site_name":"Shop"}'])
  expect((await shop.call('POST', '/api/v1/config/batch', { body: body([]) })).body).toEqual({})
})

test.each([
  ['nothing', undefined, 'body'],
  ['null', null, 'body'],
  ['no keys', {}, 'keys'],
  ['keys that are no list', { keys: 'site_name' }, 'keys'],
  ['a number among the keys', { keys: ['site_name', 3] }, 'keys.1'],
  ['a number in a bare list', [3], '0'],
  ['a key with U+0000', { keys: ['a\0b'] }, 'keys.0'],
  ['half a surrogate pair', ['\ud800'], '0'],
  ['a key that is too long', ['x'.repeat(101)], '0'],
  ['too many keys', Array.from({ length: 201 }, () => 'site_name'), 'body'],
])('rejects a batch with %s with 400, naming that alone', async (_what, body, path) => {
  const answer = await shop.call('POST', '/api/v1/config/batch', { body })
  expect([answer.status, answer.body]).toEqual([
    400,
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      details: [{ path, message: expect.any(String) }],
    }),
  ])
})
