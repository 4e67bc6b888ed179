import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, PASSWORD } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: { id: number; email: string; token: string }

beforeAll(async () => {
  shop = await startTestShop()
  const row = await createUser(shop, 'SUPER_ADMIN')
  admin = { id: row.id, email: row.email, token: shop.app.signToken(row) }
})
afterAll(() => shop.close())

async function entries(query: string): Promise<Record<string, unknown>[]> {
  const answer = await shop.call('GET', `/api/v1/admin/audit?${query}`, { token: admin.token })
  expect(answer.status).toBe(200)
  return Reflect.get(Object(answer.body), 'content')
}

test('audits the changed fields of a setting that is created, updated and deleted', async () => {
  const { token } = admin
  const base = '/api/v1/admin/config'
  await shop.call('POST', base, { token, body: { key: 'audited', value: 'one' } })
  await shop.call('PUT', `${base}/audited`, { token, body: { value: 'two' } })
  await shop.call('PUT', `${base}/audited`, { token, body: { value: 'two' } })
  await shop.call('DELETE', `${base}/audited`, { token })
  await shop.call('DELETE', `${base}/audited`, { token })
  const all = { description: '', isPublic: false }
  expect(await entries('entity=CONFIG&entityId=audited')).toMatchObject([
    {
      action: 'DELETE',
      before: { value: 'two', ...all },
      after: null,
      actorId: admin.id,
      actorEmail: admin.email,
    },
    { action: 'UPDATE', before: { value: 'one' }, after: { value: 'two' } },
    { action: 'CREATE', before: null, after: { value: 'one', ...all } },
  ])
})

test('adds no entry for a rejected change', async () => {
  await shop.call('PUT', '/api/v1/admin/config/shop_currency', {
    token: admin.token,
    body: { value: 'DOGE' },
  })
  expect(await entries('entityId=shop_currency')).toEqual([])
})

test('audits role, password reset and deletion of a user, but no password', async () => {
  const { token } = admin
  const user = { name: 'Анна', email: 'audited@example.test', role: 'EDITOR', phone: '+7 900' }
  const created = await shop.call('POST', '/api/v1/admin/users', {
    token,
    body: { ...user, password: PASSWORD },
  })
  const id = String(Reflect.get(Object(created.body), 'id'))
  const changed = { ...user, role: 'MANAGER', password: 'another password' }
  await shop.call('PUT', `/api/v1/admin/users/${id}`, { token, body: changed })
  await shop.call('DELETE', `/api/v1/admin/users/${id}`, { token })
  const found = await entries(`entity=USER&entityId=${id}`)
  expect(found).toMatchObject([
    { action: 'DELETE', after: null, before: { role: 'MANAGER' } },
    {
      action: 'UPDATE',
      before: { role: 'EDITOR', passwordReset: null },
      after: { role: 'MANAGER', passwordReset: true },
    },
    { action: 'CREATE', after: user },
  ])
  expect(JSON.stringify(found)).not.toMatch(/another password|\$2b\$/)
})

test('filters by actor and time, and rejects invalid filters', async () => {
  const other = await createUser(shop, 'ADMIN')
  await shop.call('PUT', '/api/v1/admin/config/site_name', {
    token: shop.app.signToken(other),
    body: { value: 'Лавка' },
  })
  expect(await entries(`actorId=${other.id}`)).toMatchObject([{ entityId: 'site_name', actorEmail: other.email }])
  expect(await entries(`actor=${other.email.toUpperCase()}`)).toHaveLength(1)
  const [entry] = await entries(`actorId=${other.id}`)
  const today = String(entry?.changedAt).slice(0, 10)
  expect(await entries(`actorId=${other.id}&dateFrom=${today}&dateTo=${today}`)).toHaveLength(1)
  const soon = new Date(Date.now() + 60_000).toISOString()
  expect(await entries(`dateFrom=${soon}`)).toEqual([])
  expect(await entries(`dateTo=${soon}&actorId=${other.id}`)).toHaveLength(1)

  // Entries outlive their actor.
  await shop.call('DELETE', `/api/v1/admin/users/${other.id}`, { token: admin.token })
  expect(await entries('entityId=site_name')).toMatchObject([{ actorId: null, actorEmail: other.email }])

  for (const query of ['entity=ORDERS', 'actorId=0', 'dateFrom=yesterday', 'dateTo=2026-13-01T00:00:00Z', 'size=0']) {
    const answer = await shop.call('GET', `/api/v1/admin/audit?${query}`, { token: admin.token })
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  }
})
