import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateCatalogue } from '../../demo/generate.ts'
import { traceIdOf } from '../../plugins/request-log.ts'
import { createUser, loginAs, PASSWORD } from '../support/accounts.ts'
import { untilWaiting, whileLocked } from '../support/locks.ts'
import { placeOrder } from '../support/orders.ts'
import { openSocket } from '../support/raw-http.ts'
import type { TestShop } from '../support/shop.ts'
import { startSupplierShop } from '../support/supplier-shop.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`

type Line = { msg: string; reqId?: string; route?: string; [field: string]: unknown }

let world: Awaited<ReturnType<typeof startSupplierShop>>
let shop: TestShop
const written: string[] = []

beforeAll(async () => {
  const logTo = { write: (line: string) => void written.push(line) }
  const environment = { LOG_LEVEL: 'trace', LOG_REQUESTS: 'debug' }
  world = await startSupplierShop(environment, generateCatalogue({ products: 20, seed: 1 }), { logTo })
  shop = world.shop
  await world.sync()
})
afterAll(() => world.close())

const lines = (): Line[] => written.map((line) => JSON.parse(line))

/** The lines of a request, once its last one is written. On a busy machine any request may be slow. */
async function linesOf({ headers }: { headers: Headers }): Promise<Line[]> {
  const id = headers.get('x-request-id')
  const own = () => lines().filter(({ reqId }) => reqId === id)
  await expect.poll(() => own().at(-1)?.msg).toBe('request finished')
  return own()
}

async function firstProduct(): Promise<number> {
  const { body } = await shop.call('GET', '/api/v1/products?inStock=true')
  return Object(body).content[0].id
}

test.each([
  ['a.b-c_9', 'a.b-c_9'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), null],
  ['a b', null],
  ['', null],
])("takes the client's id %j", async (sent, taken) => {
  const answer = await shop.call('GET', '/api/v1/admin/users', { headers: { 'x-request-id': sent } })
  const id = answer.headers.get('x-request-id')
  expect(id).toMatch(taken === null ? /^[0-9a-f]{8}-[0-9a-f-]{27}$/ : new RegExp(`^${taken}$`))
  expect((await linesOf(answer)).at(-1)).toMatchObject({ reqId: id })
})

test('logs one line per request with route, status, duration and caller', async () => {
  const user = await createUser(shop, 'ADMIN')
  const token = shop.app.signToken(user)
  const listed = await shop.call('GET', '/api/v1/admin/users?search=nobody', { token })
  expect(await linesOf(listed)).toEqual([
    {
      level: 20,
      time: expect.any(Number),
      pid: process.pid,
      hostname: expect.any(String),
      reqId: expect.any(String),
      method: 'GET',
      route: '/api/v1/admin/users',
      status: 200,
      durationMs: expect.any(Number),
      userId: user.id,
      msg: 'request finished',
    },
  ])
  const created = await shop.call('POST', '/api/v1/admin/api-keys', {
    token: await loginAs(shop, 'SUPER_ADMIN'),
    body: { name: 'warehouse', role: 'ADMIN' },
  })
  const byKey = await shop.call('GET', '/api/v1/admin/jobs', { token: Object(created.body).key })
  expect(await linesOf(byKey)).toMatchObject([{ apiKey: 'warehouse', status: 200 }])
  expect(await linesOf(await shop.call('GET', '/nowhere/private'))).toMatchObject([{ route: 'unknown', status: 401 }])
})

test('logs no health check that passed', async () => {
  expect((await shop.call('GET', '/health/live')).status).toBe(200)
  const next = await shop.call('GET', '/health/live/nothing')
  await linesOf(next)
  expect(lines().filter(({ route }) => route === '/health/live')).toEqual([])
})

test('logs a request that its client closed', async () => {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1')
  socket.write(
    'POST /api/v1/contacts HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  )
  await expect.poll(() => shop.app.connections.inFlight).toBe(1)
  socket.destroy()
  await expect.poll(lines).toContainEqual(expect.objectContaining({ aborted: true }))
  expect(lines().find(({ aborted }) => aborted)).toMatchObject({ method: 'POST', route: '/api/v1/contacts' })
})

test('does not fail requests whose client has reset the connection', async () => {
  const { hostname, port } = new URL(shop.url)
  const token = await loginAs(shop, 'USER')
  const head = 'POST /api/v1/orders HTTP/1.1\r\nHost: shop\r\nContent-Length: 0'
  const before = written.length
  // The server accepts one connection per turn of the event loop: most of these after their reset.
  const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname))
  for (const socket of sockets) socket.write(`${head}\r\n\r\n`, () => socket.resetAndDestroy())
  await Promise.all(sockets.map((socket) => once(socket, 'close')))

  const waiting = await openSocket(shop.url)
  await whileLocked(
    shop.deps.db,
    (trx) => sql`lock table users`.execute(trx),
    async () => {
      waiting.write(`${head}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      await untilWaiting(shop.deps.db)
      waiting.resetAndDestroy()
      await expect.poll(() => lines().slice(before)).toContainEqual(expect.objectContaining({ aborted: true }))
    },
  )
  await linesOf(await shop.call('GET', '/api/v1/orders/my', { token }))
  expect(lines().slice(before)).not.toContainEqual(expect.objectContaining({ level: 50 }))
})

test('gives the lines of services the id of their request, also behind queues', async () => {
  const logins = Array.from({ length: 12 }, (_, index) =>
    shop.call('POST', '/api/v1/auth/login', { body: { email: `${index}@nowhere.example`, password: 'x' } }),
  )
  for (const [index, answer] of (await Promise.all(logins)).entries()) {
    const email = createHash('sha256').update(`${index}@nowhere.example`).digest('hex').slice(0, 16)
    expect(await linesOf(answer)).toMatchObject([
      { msg: 'login failed', email },
      { route: '/api/v1/auth/login', status: 401 },
    ])
  }
})

test('passes a valid traceparent on to the supplier, and its trace id into each line', async () => {
  const { id } = await placeOrder(shop, [{ productId: await firstProduct(), quantity: 1 }])
  const token = await loginAs(shop, 'ADMIN')
  const submit = await shop.call('POST', `/api/v1/admin/orders/${id}/submit`, {
    token,
    headers: { traceparent: TRACEPARENT },
  })
  expect(submit.body).toMatchObject({ status: 'SENT' })
  expect(await linesOf(submit)).toMatchObject([
    { msg: 'order submitted', traceId: TRACE },
    { msg: 'request finished', traceId: TRACE },
  ])
  expect(world.supplier.requests.filter(({ path }) => path.includes('CreateOrder')).at(-1)?.headers.traceparent).toBe(
    TRACEPARENT,
  )
  world.supplier.requests.length = 0
  const headers = { traceparent: TRACEPARENT }
  await shop.call('POST', '/admin/sync/run?wait=true', { token, headers })
  expect(world.supplier.requests.length).toBeGreaterThan(2)
  expect(new Set(world.supplier.requests.map((request) => request.headers.traceparent))).toEqual(new Set([TRACEPARENT]))
  expect(lines().findLast(({ msg }) => msg === 'sync finished')).toMatchObject({ traceId: TRACE })
})

test('ignores a malformed traceparent', async () => {
  world.supplier.requests.length = 0
  const answer = await shop.call('POST', '/admin/sync/run?wait=true', {
    token: await loginAs(shop, 'ADMIN'),
    headers: { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` },
  })
  expect((await linesOf(answer)).filter((line) => 'traceId' in line)).toEqual([])
  expect(world.supplier.requests.filter(({ headers }) => headers.traceparent)).toEqual([])
})

test('logs no personal data and no secrets in a whole session, at any level', async () => {
  const sent = {
    name: 'Агриппина Саксаганская',
    email: 'agrippina@private.example',
    phone: '+7 911 765-43-21',
    digits: '79117654321',
    password: 'first secret passphrase',
    newPassword: 'second secret passphrase',
    wrongPassword: 'mistaken passphrase',
    address: 'Кологрив, Тихая улица 7',
    comment: 'позвоните соседке',
    message: 'потеряла чек на кружевную скатерть',
    search: 'сокровенный запрос',
    editedName: 'Капитолина Мещерская',
    editedEmail: 'kapitolina@private.example',
    reset: 'third secret passphrase',
    supplierToken: 'supplier-token',
  }
  const { name, email, phone, password, newPassword } = sent
  const boss = await loginAs(shop, 'SUPER_ADMIN')
  const registered = await shop.call('POST', '/api/v1/auth/register', { body: { name, email, password } })
  const { token, user } = Object(registered.body)
  const wrong = { email, password: sent.wrongPassword }
  expect((await shop.call('POST', '/api/v1/auth/login', { body: wrong })).status).toBe(401)
  const login = await shop.call('POST', '/api/v1/auth/login', { body: { email, password } })
  await shop.call('PUT', '/api/v1/auth/profile', { token, body: { name, phone } })
  await shop.call('GET', `/api/v1/products?search=${encodeURIComponent(sent.search)}&token=${token}`)
  const productId = await firstProduct()
  const customer = { customerName: name, customerPhone: phone, customerEmail: email }
  const delivery = { deliveryAddress: sent.address, comment: sent.comment }
  const order = { ...customer, ...delivery, items: [{ productId, quantity: 1 }] }
  const placed = await shop.call('POST', '/api/v1/orders', { token, body: order })
  await shop.call('POST', '/api/v1/orders', {
    token,
    body: { ...order, items: [{ productId, quantity: 1e6 }] },
  })
  world.supplier.faults.set({ replaceNext: 1, replaceBody: { error: `${name}, ${phone}: not deliverable` } })
  const submitted = await shop.call('POST', `/api/v1/admin/orders/${Object(placed.body).id}/submit`, {
    token: boss,
  })
  expect(submitted.body).toMatchObject({ status: 'ERROR' })
  await shop.call('POST', '/api/v1/contacts', { body: { name, phone, email, message: sent.message } })
  await shop.call('POST', '/api/v1/contacts', {
    body: { name, phone, email, message: { text: sent.message } },
  })
  await shop.call('PUT', `/api/v1/admin/users/${user.id}`, {
    token: boss,
    body: { name: sent.editedName, email: sent.editedEmail, role: 'USER', password: sent.reset },
  })
  const again = await shop.call('POST', '/api/v1/auth/login', {
    body: { email: sent.editedEmail, password: sent.reset },
  })
  const change = { currentPassword: sent.reset, newPassword }
  await shop.call('PUT', '/api/v1/auth/change-password', { token: Object(again.body).token, body: change })
  const created = await shop.call('POST', '/api/v1/admin/api-keys', {
    token: boss,
    body: { name: 'script', role: 'ADMIN' },
  })
  const { key } = Object(created.body)
  await shop.call('GET', `/api/v1/admin/users?search=${email}`, { token: key })
  // What PostgreSQL quotes of a row.
  await sql`insert into contact_requests (name, phone, message, status) values (${name}, ${phone}, ${sent.message}, 'X')`
    .execute(shop.deps.db)
    .catch((err: unknown) => shop.deps.log.error({ err }, 'refused on purpose'))
  await linesOf(await shop.call('GET', `/api/v1/admin/users/${user.id}/orders`, { token: key }))

  expect(lines()).toContainEqual(
    expect.objectContaining({
      msg: 'login failed',
      address: '127.0.0.1',
      email: createHash('sha256').update(email).digest('hex').slice(0, 16),
    }),
  )
  expect(lines()).toContainEqual(expect.objectContaining({ msg: 'refused on purpose' }))
  const tokens = { token, second: Object(login.body).token, boss, key, passwordOfStaff: PASSWORD }
  const values = Object.entries({ ...sent, ...tokens })
  expect(values.filter(([, value]) => value === undefined || value.length < 8)).toEqual([])
  const text = written.join('')
  const log = [text, decodeURIComponent(text.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25'))].join()
  const found = values.filter(([, value]) => log.toLowerCase().includes(value.toLowerCase()))
  expect(found.map(([field]) => field)).toEqual([])
})

test.each([
  [`00-${TRACE}-${SPAN}-01`, TRACE],
  [`00-${TRACE}-${SPAN}-00`, TRACE],
  [`01-${TRACE}-${SPAN}-01`, null],
  [`00-${TRACE}-${SPAN}-01-more`, null],
  [`ff-${TRACE}-${SPAN}-01`, null],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
  [`00-${TRACE}-${SPAN}`, null],
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, null],
  ['', null],
])('the trace id of %j is %s', (header, id) => {
  expect(traceIdOf(header)).toBe(id)
})
