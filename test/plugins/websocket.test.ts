import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ROLES, type Role } from '../../src/rules/accounts/roles.ts'
import { TOPICS } from '../../src/schemas/events.ts'
import { createUser, loginAs } from '../support/accounts.ts'
import { type EventClient, openEvents, refusedHandshake } from '../support/events.ts'
import { createProduct } from '../support/factories.ts'
import { METRICS_TOKEN, scrape } from '../support/metrics.ts'
import { converse, readAnswer } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
const clients: EventClient[] = []

beforeAll(async () => {
  shop = await startTestShop({
    WS_MAX_PER_ADDRESS: '20',
    CORS_ALLOWED_ORIGINS: 'https://shop.example',
    TRUST_PROXY: 'loopback',
    METRICS_TOKEN,
  })
})
afterAll(() => shop.close())

let networks = 0
/** Each from an address of its own. */
async function open(headers: Record<string, string> = {}): Promise<EventClient> {
  networks += 1
  const client = await openEvents(shop.url, {
    headers: { 'x-forwarded-for': `198.51.100.${networks}`, ...headers },
  })
  clients.push(client)
  return client
}

async function createKey(role: Role, expiresAt?: string): Promise<{ id: number; key: string }> {
  const token = await loginAs(shop, 'SUPER_ADMIN')
  const body = { name: `${role} ${randomUUID()}`, role, expiresAt }
  const { body: created } = await shop.call('POST', '/api/v1/admin/api-keys', { token, body })
  return created as { id: number; key: string }
}

/** Who may subscribe to what (docs/events.md), written down a second time. */
const MATRIX: [topic: string, callers: string][] = [
  ['products', 'nobody USER EDITOR MANAGER ADMIN SUPER_ADMIN key:EDITOR key:MANAGER key:ADMIN'],
  ['product:12', 'nobody USER EDITOR MANAGER ADMIN SUPER_ADMIN key:EDITOR key:MANAGER key:ADMIN'],
  ['catalogue', 'nobody USER EDITOR MANAGER ADMIN SUPER_ADMIN key:EDITOR key:MANAGER key:ADMIN'],
  ['my-orders', 'USER EDITOR MANAGER ADMIN SUPER_ADMIN'],
  ['orders', 'MANAGER ADMIN SUPER_ADMIN key:MANAGER key:ADMIN'],
  ['contacts', 'MANAGER ADMIN SUPER_ADMIN key:MANAGER key:ADMIN'],
  ['runs', 'ADMIN SUPER_ADMIN key:ADMIN'],
  ['jobs', 'ADMIN SUPER_ADMIN key:ADMIN'],
  ['alerts', 'ADMIN SUPER_ADMIN key:ADMIN'],
]

test('admits exactly the callers that each topic allows', async () => {
  expect(MATRIX.map(([topic]) => topic.replace('12', '{id}'))).toEqual(Object.keys(TOPICS))
  const callers = ['nobody', ...ROLES, ...['EDITOR', 'MANAGER', 'ADMIN'].map((role) => `key:${role}`)]
  const admitted = new Map(MATRIX.map(([topic]) => [topic, [] as string[]]))
  for (const caller of callers) {
    const client = await open()
    const role = ROLES.find((one) => one === caller.replace('key:', ''))
    if (role) {
      const token = caller === role ? await loginAs(shop, role) : (await createKey(role)).key
      expect(await client.ask({ type: 'authenticate', token })).toMatchObject({ type: 'subscribed' })
    }
    for (const [topic] of MATRIX) {
      const answer = await client.ask({ type: 'subscribe', topics: [topic] })
      if (answer.type === 'subscribed') admitted.get(topic)?.push(caller)
      else expect(answer.code).toBe(role ? 'FORBIDDEN' : 'UNAUTHORIZED')
    }
    client.socket.close()
  }
  expect([...admitted].map(([topic, who]) => [topic, who.join(' ')])).toEqual(MATRIX)
})

test('refuses invalid messages and stays open', async () => {
  const client = await open()
  const refusals = [
    ['{', 'VALIDATION_FAILED'],
    ['[]', 'VALIDATION_FAILED'],
    [{ type: 'subscribe' }, 'VALIDATION_FAILED'],
    [{ type: 'subscribe', topics: ['products', 'nothing'] }, 'VALIDATION_FAILED'],
    [{ type: 'subscribe', topics: ['product:{id}'] }, 'VALIDATION_FAILED'],
    [{ type: 'subscribe', topics: ['product:0'] }, 'VALIDATION_FAILED'],
    [{ type: 'subscribe', topics: ['my-orders:1'] }, 'VALIDATION_FAILED'],
    [{ type: 'subscribe', topics: ['toString'] }, 'VALIDATION_FAILED'],
    [{ type: 'authenticate', token: 'x' }, 'UNAUTHORIZED'],
    [{ type: 'authenticate', token: 'shop_x' }, 'UNAUTHORIZED'],
  ] as const
  for (const [message, code] of refusals) expect(await client.ask(message)).toMatchObject({ type: 'error', code })
  expect(await client.ask({ type: 'unsubscribe', topics: ['runs'] })).toEqual({
    type: 'subscribed',
    topics: [],
  })
})

test('subscribes to all topics of a message or none, and unsubscribes', async () => {
  const client = await open()
  const token = await loginAs(shop, 'USER')
  await client.ask({ type: 'authenticate', token })
  const first = await client.ask({ type: 'subscribe', topics: ['products', 'my-orders'] })
  expect(first).toEqual({ type: 'subscribed', topics: ['products', 'my-orders'] })
  expect(await client.ask({ type: 'subscribe', topics: ['catalogue', 'orders'] })).toMatchObject({
    code: 'FORBIDDEN',
  })
  const left = await client.ask({ type: 'unsubscribe', topics: ['my-orders', 'catalogue'] })
  expect(left).toEqual({ type: 'subscribed', topics: ['products'] })
})

test('a connection has at most 100 topics', async () => {
  const client = await open()
  const topics = Array.from({ length: 100 }, (_, n) => `product:${n + 1}`)
  expect(await client.ask({ type: 'subscribe', topics })).toMatchObject({ type: 'subscribed' })
  expect(await client.ask({ type: 'subscribe', topics: ['products'] })).toMatchObject({
    code: 'TOO_MANY_TOPICS',
  })
  await client.subscribe(topics)
})

test('closes after a twenty-first message in a second, and after one above 8 KB', async () => {
  const client = await open()
  // Enough for more than twenty in one of the seconds in which they arrive.
  for (let n = 0; n < 60; n++) client.socket.send(JSON.stringify({ type: 'unsubscribe', topics: [] }))
  expect(await client.closed).toBe(1008)
  expect(client.messages.filter(({ type }) => type === 'subscribed').length).toBeGreaterThanOrEqual(20)
  expect(client.messages.at(-1)).toMatchObject({ type: 'error', code: 'RATE_LIMITED' })
  const other = await open()
  other.socket.send(JSON.stringify({ type: 'authenticate', token: 'x'.repeat(8200) }))
  expect(await other.closed).toBe(1009)
})

test('allows twenty messages again in a later second', async () => {
  const client = await open()
  const sendFifteen = () => {
    for (let n = 0; n < 15; n++) client.socket.send(JSON.stringify({ type: 'unsubscribe', topics: [] }))
  }
  // A busy machine may be told to read anew.
  const answers = () => client.messages.filter(({ type }) => type !== 'resync')
  sendFifteen()
  await expect.poll(answers).toHaveLength(15)
  await delay(1000)
  sendFifteen()
  await expect.poll(answers).toHaveLength(30)
  expect(answers()).toEqual(Array(30).fill({ type: 'subscribed', topics: [] }))
})

test('an address has at most WS_MAX_PER_ADDRESS connections; closed ones are not counted', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const mine = await Promise.all(Array.from({ length: 20 }, () => open(headers)))
  const { status, body } = await refusedHandshake(shop.url, { headers })
  expect([status, body]).toEqual([429, expect.objectContaining({ code: 'RATE_LIMITED' })])
  const [first] = mine
  first?.socket.close()
  await first?.closed
  await expect.poll(() => open(headers).then(Boolean, () => false)).toBe(true)
})

test('admits pages of allowed origins and of the same host, and clients that are not browsers', async () => {
  await open({ origin: 'https://shop.example' })
  await open({ origin: shop.url })
  for (const origin of ['https://evil.example', 'null', 'https://shop.example.evil']) {
    const { status, body } = await refusedHandshake(shop.url, { origin })
    expect([status, body]).toEqual([403, expect.objectContaining({ code: 'FORBIDDEN' })])
  }
})

test('answers other requests in the common error format', async () => {
  const plain = await shop.call('GET', '/ws/events')
  expect([plain.status, plain.body]).toEqual([426, expect.objectContaining({ code: 'UPGRADE_REQUIRED' })])
  expect(plain.headers.get('upgrade')).toBe('websocket')
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, body } = await shop.call(method, '/ws/others')
    expect([status, body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })])
  }
})

test('switches protocols only for handshakes of its own path', async () => {
  const head = (path: string, upgrade: string) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade\r\nUpgrade: ${upgrade}\r\n`
  const keys = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const statusOf = async (text: string) => readAnswer(await converse(shop.url, `${text}\r\n`)).status
  // As Java's client and curl offer HTTP/2.
  expect(await statusOf(head('/health/live', 'h2c'))).toBe(200)
  expect(await statusOf(head('/health/live', 'websocket') + keys)).toBe(200)
  expect(await statusOf(head('/ws/others', 'websocket') + keys)).toBe(404)
  expect(await statusOf(head('/ws/events', 'websocket'))).toBe(426)
  expect(await statusOf(head('/ws/events?token=x', 'websocket') + keys.replace('13', '12'))).toBe(426)
  expect(await statusOf(head('/ws/events', 'websocket').replace('Host: a\r\n', '') + keys)).toBe(400)
})

test('a connection is counted, but not as a request in progress', async () => {
  await expect.poll(() => shop.app.connections.inFlight).toBe(0)
  const client = await open()
  expect(shop.app.connections.inFlight).toBe(0)
  const difference = async () => ((await scrape(shop)).value('websocket_connections') ?? 0) - shop.deps.events.size
  await expect.poll(difference).toBe(0)
  expect(shop.deps.events.size).toBeGreaterThan(0)
  client.socket.terminate()
  await client.closed
})

test('a revoked or expired token, or a lowered role, closes the connection with 4401', async () => {
  const admin = await loginAs(shop, 'SUPER_ADMIN')
  const withRole = async (role: Role) => {
    const user = await createUser(shop, role)
    const client = await open()
    await client.subscribe(['products'], shop.app.signToken(user))
    return { client, user, path: `/api/v1/admin/users/${user.id}` }
  }
  const changed = async (account: Awaited<ReturnType<typeof withRole>>, change: object) => {
    const { name, email, role } = account.user
    const body = { name, email, role, ...change }
    const { status } = await shop.call('PUT', account.path, { token: admin, body })
    expect(status).toBe(200)
  }
  const [demoted, promoted, reset, deleted] = await Promise.all(
    (['MANAGER', 'USER', 'USER', 'ADMIN'] as const).map(withRole),
  )
  if (!demoted || !promoted || !reset || !deleted) throw new Error('No accounts')
  await changed(promoted, { role: 'MANAGER' })
  await changed(demoted, { role: 'EDITOR' })
  await changed(reset, { password: 'another long password' })
  await shop.call('DELETE', deleted.path, { token: admin })
  const { id, key } = await createKey('EDITOR')
  const integration = await open()
  await integration.subscribe(['products'], key)
  await shop.call('DELETE', `/api/v1/admin/api-keys/${id}`, { token: admin })
  const expiry = new Date(Date.now() + 3_600_000)
  const expiring = await createKey('EDITOR', expiry.toISOString())
  let leftMs = 20
  const now = vi.spyOn(shop.deps, 'now').mockImplementation(() => new Date(expiry.getTime() - leftMs))
  const brief = await open()
  await brief.subscribe(['products'], expiring.key)
  leftMs = 0
  const closed = [demoted.client, reset.client, deleted.client, integration, brief].map((client) => client.closed)
  expect(await Promise.all(closed)).toEqual([4401, 4401, 4401, 4401, 4401])
  now.mockRestore()
  // A role that rises is known at once, too.
  await promoted.client.subscribe(['orders'])
})

test('a token that is revoked while it is checked closes the connection', async () => {
  const admin = await loginAs(shop, 'SUPER_ADMIN')
  const user = await createUser(shop, 'USER')
  const client = await open()
  const { identifyToken } = shop.app
  const identify = vi.spyOn(shop.app, 'identifyToken')
  identify.mockImplementationOnce(async (token) => {
    const identity = await identifyToken(token)
    identify.mockRestore()
    await shop.call('DELETE', `/api/v1/admin/users/${user.id}`, { token: admin })
    return identity
  })
  client.socket.send(JSON.stringify({ type: 'authenticate', token: shop.app.signToken(user) }))
  expect(await client.closed).toBe(4401)
})

test('a newer token takes over the topics, if it may', async () => {
  const client = await open()
  const [owner, other] = [await createUser(shop, 'USER'), await createUser(shop, 'MANAGER')]
  await client.subscribe(['my-orders'], shop.app.signToken(owner))
  const { key } = await createKey('ADMIN')
  expect(await client.ask({ type: 'authenticate', token: key })).toMatchObject({ code: 'FORBIDDEN' })
  shop.deps.events.publish('my-orders', { type: 'order.changed', id: 1, status: 'NEW' }, owner.id)
  expect(await client.next('order.changed')).toMatchObject({ id: 1 })
  await client.subscribe([], shop.app.signToken(other))
  shop.deps.events.publish('my-orders', { type: 'order.changed', id: 2, status: 'NEW' }, owner.id)
  shop.deps.events.publish('my-orders', { type: 'order.changed', id: 3, status: 'NEW' }, other.id)
  expect(await client.next('order.changed')).toMatchObject({ id: 3 })
})

test('processes messages in order, without waiting for the answers', async () => {
  const client = await open()
  client.socket.send(JSON.stringify({ type: 'authenticate', token: await loginAs(shop, 'USER') }))
  client.socket.send(JSON.stringify({ type: 'subscribe', topics: ['my-orders'] }))
  client.socket.send(JSON.stringify({ type: 'unsubscribe', topics: ['my-orders'] }))
  const answers = [await client.next('subscribed'), await client.next('subscribed'), await client.next('subscribed')]
  expect(answers.map(({ topics }) => topics)).toEqual([[], ['my-orders'], []])
})

test('a newer token replaces the expiry of the older one', async () => {
  const expiry = new Date(Date.now() + 3_600_000)
  const { key } = await createKey('EDITOR', expiry.toISOString())
  const token = await loginAs(shop, 'USER')
  let leftMs = 1
  const now = vi.spyOn(shop.deps, 'now').mockImplementation(() => new Date(expiry.getTime() - leftMs))
  const [renewed, other] = [await open(), await open()]
  await renewed.subscribe(['products'], key)
  await renewed.subscribe([], token)
  await other.subscribe(['products'], key)
  leftMs = 0
  // The timer that was replaced would have ended too.
  expect(await other.closed).toBe(4401)
  now.mockRestore()
  await renewed.subscribe(['my-orders'])
})

test('sends a subscriber of a product what it costs now', async () => {
  const id = await createProduct(shop.deps.db, { price: '100.00' })
  const client = await open()
  await client.subscribe([`product:${id}`, 'products'])
  const token = await loginAs(shop, 'ADMIN')
  await shop.call('PATCH', `/api/v1/products/${id}`, { token, body: { sitePrice: 90 } })
  expect(await client.next('products.changed')).toEqual({ type: 'products.changed', ids: [id] })
  expect(await client.next('product.changed')).toEqual({
    type: 'product.changed',
    id,
    finalPrice: 90,
    available: true,
    active: true,
  })
})
