import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser, loginAs, PASSWORD } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { orderDetails, placeOrder, placeTracked } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const KEYS = '/api/v1/admin/api-keys'

let shop: TestShop
let root: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  root = await loginAs(shop, 'SUPER_ADMIN')
})
afterAll(() => shop.close())

const create = (body: object) => shop.call('POST', KEYS, { token: root, body })

let created = 0
async function createKey(role: string, rest: object = {}): Promise<{ id: number; key: string }> {
  const { status, body } = await create({ name: `${role} key ${++created}`, role, ...rest })
  expect(status).toBe(201)
  return Object(body)
}

describe('a key', () => {
  test('is shown once and stored as a hash', async () => {
    const { body } = await create({
      name: ' Export ',
      role: 'MANAGER',
      expiresAt: '2099-01-01T00:00:00+03:00',
    })
    const { key, id } = Object(body)
    expect(body).toMatchObject({
      name: 'Export',
      role: 'MANAGER',
      expiresAt: '2098-12-31T21:00:00.000Z',
      lastUsedAt: null,
      createdBy: expect.stringContaining('@'),
    })
    expect(key).toMatch(/^shop_[\w-]{43}$/)
    const { text } = await shop.call('GET', KEYS, { token: root })
    expect(text).toContain(`"id":${id}`)
    expect(text).not.toContain(key.slice(5))
    const { rows } = await shop.deps.db
      .selectFrom('api_keys')
      .selectAll()
      .execute()
      .then((rows) => ({ rows }))
    expect(JSON.stringify(rows)).not.toContain(key.slice(5))
  })

  test('has a name of its own, since the audit log names it', async () => {
    const body = { name: 'Warehouse', role: 'EDITOR' }
    const both = await Promise.all([create(body), create({ ...body, name: ' WAREHOUSE ' })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(both.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'NAME_TAKEN' })
    const { id } = Object(both.find(({ status }) => status === 201)?.body)
    await shop.call('DELETE', `${KEYS}/${id}`, { token: root })
    expect((await create(body)).status).toBe(201)
  })

  test('has the access of its role and no more', async () => {
    const { key } = await createKey('MANAGER')
    const statusOf = async (path: string) => (await shop.call('GET', path, { token: key })).status
    expect(await statusOf('/api/v1/admin/orders')).toBe(200)
    expect(await statusOf('/api/v1/admin/users')).toBe(403)
    expect(await statusOf(KEYS)).toBe(403)
    expect((await shop.call('POST', '/api/v1/auth/refresh', { token: key })).status).toBe(403)
    expect(await statusOf('/api/v1/no-such-path')).toBe(404)
  })

  test('records its last use, at most once a minute', async () => {
    const { id, key } = await createKey('EDITOR')
    const lastUse = async () =>
      shop.deps.db.selectFrom('api_keys').select('last_used_at').where('id', '=', id).executeTakeFirst()
    const use = () => shop.call('GET', '/api/v1/reviews', { token: key })
    await use()
    const first = await lastUse()
    expect(first?.last_used_at).toBeInstanceOf(Date)
    await use()
    expect(await lastUse()).toEqual(first)
    await shop.deps.db
      .updateTable('api_keys')
      .set({ last_used_at: new Date(Date.now() - 61_000) })
      .where('id', '=', id)
      .execute()
    await use()
    const again = await lastUse()
    expect(again?.last_used_at?.getTime()).toBeGreaterThanOrEqual(first?.last_used_at?.getTime() ?? Infinity)
  })

  test('stops working when it is revoked or has expired', async () => {
    const { id, key } = await createKey('ADMIN')
    const status = async () => (await shop.call('GET', '/api/v1/admin/users', { token: key })).status
    expect(await status()).toBe(200)
    await shop.deps.db.updateTable('api_keys').set({ expires_at: new Date() }).where('id', '=', id).execute()
    expect(await status()).toBe(401)
    await shop.deps.db.updateTable('api_keys').set({ expires_at: null }).where('id', '=', id).execute()
    expect(await status()).toBe(200)
    expect((await shop.call('DELETE', `${KEYS}/${id}`, { token: root })).status).toBe(204)
    expect(await status()).toBe(401)
    expect((await shop.call('DELETE', `${KEYS}/${id}`, { token: root })).status).toBe(404)
  })

  test('is rejected where an invalid token is', async () => {
    const token = `shop_${'A'.repeat(43)}`
    expect((await shop.call('GET', '/api/v1/admin/orders', { token })).status).toBe(401)
    expect((await shop.call('POST', '/api/v1/orders', { token, body: {} })).status).toBe(401)
    expect((await shop.call('GET', '/api/v1/products', { token })).status).toBe(200)
  })

  test.each([
    [{ name: 'x', role: 'SUPER_ADMIN' }, 'role'],
    [{ name: 'x', role: 'CUSTOMER' }, 'role'],
    [{ name: ' ', role: 'ADMIN' }, 'name'],
    [{ name: 'x', role: 'ADMIN', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ name: 'x', role: 'ADMIN', expiresAt: 'tomorrow' }, 'expiresAt'],
  ])('is refused for %j', async (body, field) => {
    const answer = await create(body)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(field)
  })
})

describe('what a key does', () => {
  test('is audited under its name', async () => {
    const { key } = await createKey('ADMIN', { name: 'Price robot' })
    const body = { name: 'Drill', price: 10, active: true }
    const { status } = await shop.call('POST', '/api/v1/products', { token: key, body })
    expect(status).toBe(201)
    const { body: page } = await shop.call('GET', '/api/v1/admin/audit?actor=Price robot', { token: root })
    expect(Object(page).content).toMatchObject([
      {
        entity: 'PRODUCT',
        action: 'CREATE',
        actorKind: 'API_KEY',
        actorId: null,
        actorEmail: null,
        actorKey: 'Price robot',
      },
    ])
  })

  test('includes users, under the rules of its role', async () => {
    const { key } = await createKey('ADMIN')
    const user = { name: 'Bo', email: 'bo@key.test', password: PASSWORD, role: 'MANAGER' }
    expect((await shop.call('POST', '/api/v1/admin/users', { token: key, body: user })).status).toBe(201)
    const superior = await createUser(shop, 'SUPER_ADMIN')
    expect((await shop.call('DELETE', `/api/v1/admin/users/${superior.id}`, { token: key })).status).toBe(403)
    const top = { ...user, email: 'top@key.test', role: 'SUPER_ADMIN' }
    expect((await shop.call('POST', '/api/v1/admin/users', { token: key, body: top })).status).toBe(403)
  })

  test('excludes what belongs to a person', async () => {
    const { key } = await createKey('ADMIN')
    for (const path of ['/api/v1/auth/profile', '/api/v1/orders/my'])
      expect((await shop.call('GET', path, { token: key })).status).toBe(403)
  })

  test('makes orders that belong to nobody, which keys below MANAGER cannot read', async () => {
    const id = await createProduct(shop.deps.db, { price: '5.00', stock: 10 })
    const body = { items: [{ productId: id, quantity: 1 }], customerName: 'Bo', customerPhone: '+7 900 123' }
    const [manager, editor] = [await createKey('MANAGER'), await createKey('EDITOR')]
    const headers = { 'idempotency-key': 'same' }
    const placed = await shop.call('POST', '/api/v1/orders', { token: manager.key, body, headers })
    expect(placed.body).toMatchObject({ userId: null, status: 'NEW' })
    const byOther = await shop.call('POST', '/api/v1/orders', { token: editor.key, body, headers })
    expect(Object(byOther.body).id).not.toBe(Object(placed.body).id)
    const path = `/api/v1/orders/${Object(placed.body).id}`
    expect((await shop.call('GET', path, { token: editor.key })).status).toBe(404)
    expect((await shop.call('GET', path, { token: manager.key })).status).toBe(200)
  })

  test('shows in the history of an order, apart from people of the same name', async () => {
    const id = await createProduct(shop.deps.db, { price: '5.00', stock: 10 })
    const body = { items: [{ productId: id, quantity: 1 }], customerName: 'Bo', customerPhone: '+7 900 123' }
    const { key } = await createKey('MANAGER', { name: 'Telephone robot' })
    const placed = await shop.call('POST', '/api/v1/orders', { body })
    const path = `/api/v1/admin/orders/${Object(placed.body).id}`
    await shop.call('PATCH', path, { token: key, body: { status: 'PROCESSING' } })
    const details = await orderDetails(shop, key, Object(placed.body).id)
    expect(details.history).toContainEqual(
      expect.objectContaining({
        userId: null,
        userName: 'Telephone robot',
        actorKind: 'API_KEY',
        toStatus: 'PROCESSING',
      }),
    )

    const { body: audit } = await shop.call('GET', '/api/v1/admin/audit?entity=ORDER&actor=Telephone robot', {
      token: root,
    })
    const after = { status: 'PROCESSING' }
    expect(Object(audit).content).toMatchObject([{ entityId: String(details.id), actorKind: 'API_KEY', after }])

    const named = await placeTracked(shop, body.items, { fields: { customerName: 'Telephone robot' } })
    await shop.call('POST', `/api/v1/orders/track/${named.trackingToken}/cancel`)
    const user = await createUser(shop, 'MANAGER', { name: 'Telephone robot' })
    const token = await shop.app.signToken(user)
    const ofAccount = await placeOrder(shop, body.items, { token })
    await shop.call('DELETE', `/api/v1/admin/users/${user.id}`, { token: root })
    const last = async (id: number) => (await orderDetails(shop, root, id)).history.at(-1)
    const robot = { userId: null, userName: 'Telephone robot' }
    expect(await last(named.id)).toMatchObject({ ...robot, actorKind: 'CUSTOMER', toStatus: 'CANCELLED' })
    expect(await last(ofAccount.id)).toMatchObject({ ...robot, actorKind: 'USER', toStatus: 'NEW' })
  })

  test('is told apart in what earlier versions recorded, as far as it can be', async () => {
    const productId = await createProduct(shop.deps.db, { price: '5.00', stock: 10 })
    const { id } = await placeOrder(shop, [{ productId, quantity: 1 }])
    const { id: user_id } = await createUser(shop, 'MANAGER')
    await shop.deps.db.updateTable('order_history').set({ actor_kind: null }).where('order_id', '=', id).execute()
    const entry = { order_id: id, from_status: 'NEW' as const, to_status: 'NEW' as const, actor_kind: null }
    const entries = [
      { ...entry, user_id, user_name: 'Мария' },
      { ...entry, user_id: null, user_name: 'Robot or Мария' },
    ]
    await shop.deps.db.insertInto('order_history').values(entries).execute()
    const { history } = await orderDetails(shop, root, id)
    expect(history.map(({ actorKind }) => actorKind)).toEqual(['CUSTOMER', 'USER', null])
  })
})

describe('a key may do no more than its creator', () => {
  const statusOf = async (token: string, method: string, path: string, body?: object) =>
    (await shop.call(method, path, { token, ...(body && { body }) })).status

  test('whose role sinks and rises again', async () => {
    const creator = await createUser(shop, 'SUPER_ADMIN')
    const token = await shop.app.signToken(creator)
    const { body } = await shop.call('POST', KEYS, { token, body: { name: 'Follows its creator', role: 'ADMIN' } })
    const { key } = Object(body)
    const rights = async () =>
      Promise.all(
        ['/api/v1/admin/users', '/api/v1/admin/orders', '/api/v1/reviews'].map((path) => statusOf(key, 'GET', path)),
      )
    const setRole = (role: string) =>
      statusOf(root, 'PUT', `/api/v1/admin/users/${creator.id}`, { name: 'Boss', email: creator.email, role })
    expect(await rights()).toEqual([200, 200, 200])
    await setRole('MANAGER')
    expect(await rights()).toEqual([403, 200, 200])
    await setRole('USER')
    expect(await rights()).toEqual([403, 403, 403])
    await setRole('ADMIN')
    expect(await rights()).toEqual([200, 200, 200])
    // A role above the key's gives it nothing more.
    await setRole('SUPER_ADMIN')
    expect(await statusOf(key, 'GET', KEYS)).toBe(403)
  })

  test('and nothing when that account is deleted, even if another one has its email', async () => {
    const creator = await createUser(shop, 'SUPER_ADMIN')
    const token = await shop.app.signToken(creator)
    const { body } = await shop.call('POST', KEYS, { token, body: { name: 'Orphan', role: 'EDITOR' } })
    const { key, id } = Object(body)
    expect(await statusOf(key, 'GET', '/api/v1/reviews')).toBe(200)
    expect(await statusOf(root, 'DELETE', `/api/v1/admin/users/${creator.id}`)).toBe(204)
    await createUser(shop, 'SUPER_ADMIN', { email: creator.email })
    expect(await statusOf(key, 'GET', '/api/v1/reviews')).toBe(401)
    const { body: keys } = await shop.call('GET', KEYS, { token: root })
    expect(keys).toContainEqual(expect.objectContaining({ id, createdBy: creator.email }))
  })
})
