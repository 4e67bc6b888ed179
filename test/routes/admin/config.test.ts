import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { createBody } from '../../../src/runtime/cache/encoded-body.ts'
import type { Setting } from '../../../src/schemas/settings.ts'
import { freshSetting, settingValues } from '../../../src/services/settings/settings.ts'
import { loginAs } from '../../support/accounts.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const LIST = '/api/v1/admin/config'

let shop: TestShop
let admin: string
beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(() => shop.deps.db.deleteFrom('publication_requests').execute())
afterAll(() => shop.close())

const send = (method: string, path: string, body?: unknown) => shop.call(method, path, { token: admin, body })
/** Requests for new feeds. */
const rebuilds = () => shop.deps.db.selectFrom('publication_requests').select('kind').execute()
const publicValue = async (key: string) => (await shop.call('GET', `/api/v1/config/${key}`)).body

test('lists the documented keys of a new shop, sorted', async () => {
  const answer = await send('GET', LIST)
  const entries = answer.body as { key: string }[]
  const keys = entries.map(({ key }) => key)
  expect(keys).toEqual([...keys].sort())
  expect(keys).toEqual(Object.keys(await settingValues(shop.deps)).sort())
  expect(entries.find(({ key }) => key === 'shop_currency')).toEqual({
    key: 'shop_currency',
    value: 'RUB',
    description: 'Currency of all prices',
    isPublic: true,
    version: 1,
    updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    group: 'SHOP',
    type: 'ENUM',
    nullable: false,
    allowed: ['RUR', 'RUB', 'USD', 'EUR', 'UAH', 'BYN', 'KZT'],
    min: null,
    max: null,
    placeholders: null,
    default: 'RUB',
  })
})

test('creates, reads, updates and deletes a setting, visibly at once', async () => {
  const created = await send('POST', LIST, {
    key: 'theme.color',
    value: 'red',
    description: 'Hue',
    isPublic: true,
  })
  expect([created.status, created.body]).toEqual([
    201,
    {
      key: 'theme.color',
      value: 'red',
      description: 'Hue',
      isPublic: true,
      version: 1,
      updatedAt: expect.any(String),
      group: 'OTHER',
      type: 'STRING',
      nullable: true,
      allowed: null,
      min: null,
      max: null,
      placeholders: null,
      default: null,
    },
  ])
  expect(await publicValue('theme.color')).toEqual({ key: 'theme.color', value: 'red' })

  const changed = await send('PUT', `${LIST}/theme.color`, { value: 'blue' })
  expect([changed.status, changed.body]).toMatchObject([200, { value: 'blue', description: 'Hue', isPublic: true }])
  expect(await publicValue('theme.color')).toEqual({ key: 'theme.color', value: 'blue' })
  expect((await send('GET', `${LIST}/theme.color`)).body).toEqual(changed.body)

  await send('PUT', `${LIST}/theme.color`, { value: 'blue', description: '', isPublic: false })
  expect(await publicValue('theme.color')).toMatchObject({ code: 'NOT_FOUND' })

  const removed = await send('DELETE', `${LIST}/theme.color`)
  expect([removed.status, removed.text]).toEqual([204, ''])
  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { value: 'x' }]] as const) {
    expect((await send(method, `${LIST}/theme.color`, body)).status).toBe(404)
  }
})

test('creates a setting without a description and private by default', async () => {
  const { body } = await send('POST', LIST, { key: 'plain', value: '', updatedAt: '1999-01-01T00:00:00Z' })
  expect(body).toMatchObject({ key: 'plain', value: '', description: '', isPublic: false })
  expect(body).not.toMatchObject({ updatedAt: '1999-01-01T00:00:00Z' })
})

test('creates a key once when several requests race', async () => {
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, n) => send('POST', LIST, { key: 'race', value: String(n) })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'KEY_TAKEN' })
})

test.each([
  ['no key', { value: 'x' }, 'key'],
  ['no value', { key: 'k' }, 'value'],
  ['an empty key', { key: '', value: 'x' }, 'key'],
  ['a key with a slash', { key: 'a/b', value: 'x' }, 'key'],
  ['a key with a line break at its end', { key: 'a\n', value: 'x' }, 'key'],
  ['a Cyrillic key', { key: 'ключ', value: 'x' }, 'key'],
  ['a key that is too long', { key: 'k'.repeat(101), value: 'x' }, 'key'],
  ['the key that is a path', { key: 'public', value: 'x' }, 'key'],
  ['a key that is a folder', { key: '..', value: 'x' }, 'key'],
  ['the key of prototypes', { key: '__proto__', value: 'x' }, 'key'],
  ['a value that is no text', { key: 'k', value: true }, 'value'],
  ['null as value', { key: 'k', value: null }, 'value'],
  ['a value that is too long', { key: 'k', value: 'x'.repeat(10_001) }, 'value'],
  ['a value with U+0000', { key: 'k', value: 'a\0' }, 'value'],
  ['isPublic as text', { key: 'k', value: 'x', isPublic: 'true' }, 'isPublic'],
  ['a description that is too long', { key: 'k', value: 'x', description: 'x'.repeat(1001) }, 'description'],
])('rejects a new setting with %s and names the field', async (_what, body, path) => {
  const answer = await send('POST', LIST, body)
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  const { details } = answer.body as { details: { path: string }[] }
  expect(new Set(details.map((detail) => detail.path))).toEqual(new Set([path]))
})

test('returns a deleted documented key to its default, for caches and for jobs', async () => {
  await send('PUT', `${LIST}/job_sync_enabled`, { value: 'false' })
  expect(await freshSetting(shop.deps, 'job_sync_enabled')).toBe('false')
  expect((await settingValues(shop.deps)).job_sync_enabled).toBe('false')
  await send('DELETE', `${LIST}/job_sync_enabled`)
  expect(await freshSetting(shop.deps, 'job_sync_enabled')).toBe('true')
  expect((await settingValues(shop.deps)).job_sync_enabled).toBe('true')
})

test('a deleted documented key stays in the list with its description, and can be set again', async () => {
  const path = `${LIST}/delivery_price`
  const { description } = (await send('PUT', path, { value: '300', isPublic: false })).body as Setting
  expect((await send('DELETE', path)).status).toBe(204)
  const listed = ((await send('GET', LIST)).body as Setting[]).find(({ key }) => key === 'delivery_price')
  expect(listed).toMatchObject({ value: '', description, isPublic: false })
  expect((await send('GET', path)).body).toEqual(listed)
  expect((await send('PUT', path, { value: '200', isPublic: true })).status).toBe(200)
})

test('shows the default of a public key that was deleted, until staff hide it', async () => {
  const publicSettings = async () => (await shop.call('GET', '/api/v1/config/public')).body
  await send('DELETE', `${LIST}/site_name`)
  expect(await publicSettings()).toMatchObject({ site_name: 'Shop' })
  expect(await publicValue('site_name')).toEqual({ key: 'site_name', value: 'Shop' })
  await send('PUT', `${LIST}/site_name`, { value: 'Hidden', isPublic: false })
  expect(await publicSettings()).not.toHaveProperty('site_name')
  await send('PUT', `${LIST}/site_name`, { value: 'Shop', isPublic: true })
})

test('reads the flag of a job from the database, not from the cache', async () => {
  const { deps } = shop
  await send('PUT', `${LIST}/job_category_visibility_enabled`, { value: 'true' })
  await settingValues(deps)
  await deps.db
    .updateTable('app_config')
    .set({ value: 'false' })
    .where('key', '=', 'job_category_visibility_enabled')
    .execute()
  expect(await freshSetting(deps, 'job_category_visibility_enabled')).toBe('false')
})

test.each([
  ...['delivery_price', 'delivery_days', 'shop_company', 'shop_currency', 'feed_product_url'],
  'seo_site_description',
])('rebuilds feeds and sitemap after a change of %s, but not after a rejected one', async (key) => {
  const value = { shop_currency: 'EUR', feed_product_url: '/{id}' }[key] ?? '7'
  await send('PUT', `${LIST}/${key}`, { value })
  expect(await rebuilds()).toHaveLength(3)
  await send('PUT', `${LIST}/${key}`, { value: 'x'.repeat(10_001) })
  await send('POST', LIST, { key, value })
  expect(await rebuilds()).toHaveLength(3)
  await send('DELETE', `${LIST}/${key}`)
  expect(await rebuilds()).toHaveLength(6)
})

test.each(['seo_product_title_template', 'category_tree_orphan_as_root', 'site_name'])(
  'invalidates the cached catalogue after a change of %s',
  async (key) => {
    const { answers } = shop.deps.cached
    let loads = 0
    const read = async () => {
      const load = async () => createBody(Buffer.from(`${++loads}`))
      return Number((await answers.get(`probe ${key}`, load)).bytes)
    }
    const held = await read()
    expect(await read()).toBe(held)
    await send('PUT', `${LIST}/${key}`, { value: 'false' })
    expect(await read()).not.toBe(held)
  },
)

test('rejects a write of an older version with 412', async () => {
  const path = `${LIST}/versioned`
  await send('POST', LIST, { key: 'versioned', value: 'Zero', isPublic: true })
  const write = (method: string, version: string, value?: string) =>
    shop.call(method, path, {
      token: admin,
      headers: { 'if-match': version },
      ...(value === undefined ? {} : { body: { value } }),
    })
  const { version } = (await send('PUT', path, { value: 'First' })).body as { version: number }
  expect((await write('PUT', `"${version}"`, 'Second')).body).toMatchObject({ version: version + 1 })
  for (const stale of [`"${version}"`, `W/"${version + 1}"`, '"x"']) {
    for (const answer of [await write('PUT', stale, 'Third'), await write('DELETE', stale)]) {
      expect(answer).toMatchObject({
        status: 412,
        body: { code: 'STALE', current: { key: 'versioned', value: 'Second', version: version + 1 } },
      })
    }
  }
  expect(await publicValue('versioned')).toMatchObject({ value: 'Second' })
  const row = (trx: Trx) => sql`select from app_config where key = 'versioned' for update`.execute(trx)
  const writes = await whileLocked(shop.deps.db, row, async () => {
    const pending = ['A', 'B'].map((value) => write('PUT', `"${version + 1}"`, value))
    await untilWaiting(shop.deps.db, pending.length)
    return pending
  })
  const both = await Promise.all(writes)
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  expect((await write('PUT', '*', 'Last')).body).toMatchObject({ value: 'Last', version: version + 3 })
  expect((await write('DELETE', `"${version + 3}"`)).status).toBe(204)
})

test('audits value, description and visibility, but no write that changes nothing', async () => {
  await send('POST', LIST, { key: 'audited', value: 'a' })
  await send('PUT', `${LIST}/audited`, { value: 'a' })
  await send('PUT', `${LIST}/audited`, { value: 'b' })
  await send('DELETE', `${LIST}/audited`)
  const { body } = await send('GET', '/api/v1/admin/audit?entity=CONFIG&entityId=audited')
  const { content } = body as { content: { action: string; before: unknown; after: unknown }[] }
  expect(content.map(({ action, before, after }) => [action, before, after])).toEqual([
    ['DELETE', { value: 'b', description: '', isPublic: false }, null],
    ['UPDATE', { value: 'a' }, { value: 'b' }],
    ['CREATE', null, { value: 'a', description: '', isPublic: false }],
  ])
})

test('writes several settings at once, or none', async () => {
  const read = async (key: string) => ((await send('GET', `${LIST}/${key}`)).body as Setting).value
  const saved = await send('PATCH', LIST, {
    site_name: 'Инструмент 24',
    delivery_price: '250',
    'gbstore.scraping.enabled': '',
  })
  expect(saved).toMatchObject({
    status: 200,
    body: [{ key: 'delivery_price', value: '250' }, { key: 'gbstore.scraping.enabled' }, { key: 'site_name' }],
  })
  expect(await publicValue('site_name')).toMatchObject({ value: 'Инструмент 24' })
  expect(await rebuilds()).not.toEqual([])

  const wrong = { site_name: 'Other', delivery_price: 'free', mail_language: 'fr', alert_sync_minutes: '' }
  const refused = await send('PATCH', LIST, wrong)
  expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  const { details } = refused.body as { details: { path: string }[] }
  expect(details.map(({ path }) => path).sort()).toEqual(['alert_sync_minutes', 'delivery_price', 'mail_language'])
  const unknown = await send('PATCH', LIST, { site_name: 'Other', no_such: 'x' })
  expect(unknown).toMatchObject({ status: 400, body: { details: [{ path: 'no_such' }] } })
  for (const body of [{}, [], { site_name: null }, { site_name: 5 }, { site_name: 'x'.repeat(10_001) }]) {
    expect((await send('PATCH', LIST, body)).status).toBe(400)
  }
  expect([await read('site_name'), await read('delivery_price')]).toEqual(['Инструмент 24', '250'])
})

test('says of each setting whether it may be empty, and what a template may hold', async () => {
  const settings = (await send('GET', LIST)).body as Setting[]
  const byKey = new Map(settings.map((setting) => [setting.key, setting]))
  for (const { key, value, nullable } of settings) {
    const { status } = await send('PUT', `${LIST}/${key}`, { value: '' })
    expect([key, status]).toEqual([key, nullable ? 200 : 400])
    await send('PUT', `${LIST}/${key}`, { value })
  }
  expect(byKey.get('seo_category_title_template')).toMatchObject({ placeholders: ['{name}', '{siteName}'] })
  expect(byKey.get('feed_product_url')).toMatchObject({ type: 'TEMPLATE', placeholders: ['{slug}', '{id}'] })
})
