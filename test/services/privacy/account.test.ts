import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Order } from '../../../src/schemas/orders.ts'
import { erasePerson } from '../../../src/services/privacy/erasure.ts'
import { createUser, loginAs, PASSWORD } from '../../support/accounts.ts'
import { emptyTables } from '../../support/database.ts'
import { dumpShop, linesWith } from '../../support/dump.ts'
import { openEvents } from '../../support/events.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { orderDetails, placeOrder, sendOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0', RATE_LIMIT_LOGIN_PAIR: '3', TRUST_PROXY: 'loopback' })
  admin = await loginAs(shop, 'ADMIN')
  productId = await createProduct(shop.deps.db, { stock: 100_000 })
  await setSetting(shop, admin, 'privacy_policy_version', '7')
})
afterAll(() => shop.close())
beforeEach(async () => {
  await emptyTables(shop.deps.db, 'orders, contact_requests, consents, rate_limits, mails, audit_log')
  await shop.deps.db.deleteFrom('users').where('role', 'in', ['USER', 'SUPER_ADMIN']).execute()
})

const lines = () => [{ productId, quantity: 1 }]

async function finish({ id }: Order): Promise<void> {
  await shop.deps.db.updateTable('orders').set({ status: 'COMPLETED' }).where('id', '=', id).execute()
}

const remove = (token: string, password = PASSWORD) =>
  shop.call('DELETE', '/api/v1/auth/profile', { token, body: { password } })

test('exports what the shop has of an account, and nothing of others', async () => {
  const user = await createUser(shop, 'USER', { name: 'Анна', email: 'anna@example.test', phone: '+7 900 111-11-11' })
  const token = shop.app.signToken(user)
  const order = await placeOrder(shop, lines(), {
    token,
    fields: { customerEmail: 'Anna@example.test', consent: true },
  })
  await placeOrder(shop, lines(), { token: await loginAs(shop, 'USER') })
  const body = { name: 'Аня', phone: '12345', message: 'Да?', consent: true }
  for (const email of ['ANNA@example.test', 'other@example.test'])
    await shop.call('POST', '/api/v1/contacts', { body: { ...body, email } })
  await shop.deps.db.updateTable('contact_requests').set({ notes: 'Трудный клиент' }).execute()

  const answer = await shop.call('GET', '/api/v1/auth/my-data', { token })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.body).toMatchObject({
    account: { id: user.id, name: 'Анна', email: 'anna@example.test', phone: '+7 900 111-11-11', role: 'USER' },
    orders: [{ id: order.id, customerName: order.customerName, items: [{ productId }] }],
    contacts: [{ name: 'Аня', email: 'ANNA@example.test', message: 'Да?', status: 'NEW' }],
    consents: [
      { kind: 'ORDER', email: 'Anna@example.test', policyVersion: '7' },
      { kind: 'CONTACT', email: 'ANNA@example.test', phone: '12345' },
    ],
    reviews: [],
  })
  expect(answer.text).not.toContain('Трудный')
  expect((await shop.call('GET', '/api/v1/auth/my-data')).status).toBe(401)
})

test('deletes the own account: finished orders lose their customer, open ones keep it', async () => {
  const user = await createUser(shop, 'USER', { name: 'Анна Уходящая', email: 'leaving@example.test' })
  const token = shop.app.signToken(user)
  const fields = { customerName: 'Анна Уходящая', customerEmail: 'leaving@example.test', consent: true }
  const done = await placeOrder(shop, lines(), { token, fields: { ...fields, deliveryAddress: 'Липовая 8' } })
  await finish(done)
  const sent = await placeOrder(shop, lines(), {
    token,
    fields: { customerName: 'Анна Ждущая', customerPhone: '77777' },
  })
  await shop.deps.db.updateTable('orders').set({ status: 'SENT' }).where('id', '=', sent.id).execute()
  // Somebody else may have written with this address: nobody has proved that it is the account's.
  await shop.call('POST', '/api/v1/contacts', {
    body: { name: 'Иная', phone: '55555', message: '?', email: 'leaving@example.test' },
  })
  const client = await openEvents(shop.url)
  await client.subscribe(['my-orders'], token)

  expect((await remove(token)).status).toBe(204)
  expect(await client.closed).toBe(4401)
  expect((await shop.call('GET', '/api/v1/auth/profile', { token })).status).toBe(401)
  const login = { email: 'leaving@example.test', password: PASSWORD }
  expect((await shop.call('POST', '/api/v1/auth/login', { body: login })).status).toBe(401)
  expect(await orderDetails(shop, admin, done.id)).toMatchObject({
    customerName: '—',
    customerPhone: null,
    userId: null,
    total: done.total,
    // Else an open form would write the data back.
    version: 2,
  })
  expect(await orderDetails(shop, admin, sent.id)).toMatchObject({
    customerName: 'Анна Ждущая',
    customerPhone: '77777',
    userId: null,
    history: [{ userName: 'Анна Ждущая' }],
  })
  expect(linesWith(await dumpShop(shop), ['уходящая', 'липовая'])).toEqual([])
  expect(await shop.deps.db.selectFrom('contact_requests').select('name').execute()).toEqual([{ name: 'Иная' }])
})

test('a wrong password is a 400 that counts as a failed login', async () => {
  const token = shop.app.signToken(await createUser(shop, 'USER'))
  for (let n = 0; n < 3; n++) {
    const { status, body } = await remove(token, 'wrong')
    expect([status, body]).toMatchObject([400, { details: [{ path: 'password', message: expect.any(String) }] }])
  }
  expect((await remove(token)).status).toBe(429)
  expect((await shop.call('GET', '/api/v1/auth/profile', { token })).status).toBe(200)
})

test('the last SUPER_ADMIN stays, also when two delete themselves at the same time', async () => {
  const users = [await createUser(shop, 'SUPER_ADMIN'), await createUser(shop, 'SUPER_ADMIN')]
  const answers = await Promise.all(users.map((user) => remove(shop.app.signToken(user))))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'OWN_ACCOUNT' })
  const left = await shop.deps.db.selectFrom('users').select('id').where('role', '=', 'SUPER_ADMIN').execute()
  expect(left).toHaveLength(1)
  const log = await shop.deps.db.selectFrom('audit_log').select(['entity', 'action', 'before']).execute()
  expect(log).toEqual([{ entity: 'USER', action: 'DELETE', before: { role: 'SUPER_ADMIN' } }])
})

test('a session that ended while the password was checked deletes nothing', async () => {
  const user = await createUser(shop, 'USER')
  const token = shop.app.signToken(user)
  const answer = await whileLocked(
    shop.deps.db,
    (trx) => trx.updateTable('users').set({ token_version: 1 }).where('id', '=', user.id).execute(),
    async () => {
      const answering = remove(token)
      await untilWaiting(shop.deps.db)
      return { answering }
    },
  )
  expect((await answer.answering).status).toBe(401)
  expect(await shop.deps.db.selectFrom('users').select('id').where('id', '=', user.id).execute()).toHaveLength(1)
})

test('an order that is placed while its account is deleted is kept with its customer, or refused', async () => {
  const { db } = shop.deps
  const user = await createUser(shop, 'USER')
  const token = shop.app.signToken(user)
  // Holds orders up between their check and their commit.
  const { placing, removing } = await whileLocked(
    db,
    (trx) => sql`select pg_advisory_xact_lock(7120021, ${productId})`.execute(trx),
    async () => {
      const placing = sendOrder(shop, lines(), { token })
      await untilWaiting(db)
      return { placing, removing: remove(token) }
    },
  )
  expect((await removing).status).toBe(204)
  const placed = await placing
  expect([201, 401]).toContain(placed.status)
  const rows = await db.selectFrom('orders').select(['customer_name', 'user_id', 'status']).execute()
  expect(rows).toEqual(placed.status === 201 ? [{ customer_name: 'Анна Ёлкина', user_id: null, status: 'NEW' }] : [])
})

test('an order that is inserted before its account is deleted survives it', async () => {
  const { db } = shop.deps
  const user = await createUser(shop, 'USER')
  const token = shop.app.signToken(user)
  const values = { customer_name: 'Анна', customer_phone: '12345', user_id: user.id }
  const { removing } = await whileLocked(
    db,
    (trx) => trx.insertInto('orders').values(values).execute(),
    async () => {
      const removing = remove(token)
      await untilWaiting(db)
      return { removing }
    },
  )
  expect((await removing).status).toBe(204)
  const rows = await db.selectFrom('orders').select(['customer_name', 'user_id']).execute()
  expect(rows).toEqual([{ customer_name: 'Анна', user_id: null }])
})

test('an order that is placed while its person is erased is kept, and so is its mail', async () => {
  const { db } = shop.deps
  const fields = { customerEmail: 'racing@example.test', consent: true }
  const old = await placeOrder(shop, lines(), { fields })
  await finish(old)
  const { erasing } = await whileLocked(
    db,
    (trx) => trx.selectFrom('orders').select('id').where('id', '=', old.id).forUpdate().execute(),
    async () => {
      const actor = { id: null, name: 'test', email: null, role: 'ADMIN' } as const
      const erasing = erasePerson(shop.deps, actor, { email: 'racing@example.test', dryRun: false })
      await untilWaiting(db)
      await placeOrder(shop, lines(), { fields })
      return { erasing }
    },
  )
  expect(await erasing).toMatchObject({ orders: { erased: 1 } })
  const orders = await db.selectFrom('orders').select(['customer_email', 'id']).orderBy('id').execute()
  expect(orders.map(({ customer_email }) => customer_email)).toEqual([null, 'racing@example.test'])
  const mails = await db.selectFrom('mails').select(['recipient', 'order_id']).execute()
  expect(mails).toEqual([{ recipient: 'racing@example.test', order_id: orders[1]?.id }])
  expect(await db.selectFrom('consents').select('kind').execute()).toHaveLength(2)
})

test('an order that is not finished keeps its customer, history and audit entries', async () => {
  const open = await placeOrder(shop, lines(), { fields: { customerEmail: 'waiting@example.test' } })
  const edit = { customerEmail: 'Waiting@example.test', comment: 'Скорее' }
  await shop.call('PATCH', `/api/v1/admin/orders/${open.id}`, { token: admin, body: edit })
  const before = await dumpShop(shop)
  const body = { email: 'waiting@example.test' }
  const answer = await shop.call('POST', '/api/v1/admin/privacy/erase', { token: admin, body })
  expect(answer.body).toMatchObject({ orders: { erased: 0, open: [open.id] }, mails: 0, audit: 0 })
  const kept = linesWith(before, ['waiting@example.test']).filter((line) => !line.startsWith('rate_limits '))
  expect(linesWith(await dumpShop(shop), ['waiting@example.test'])).toEqual(kept)
  expect(kept.length).toBeGreaterThan(3)
})

test("history and audit of somebody else's order forget an address that was corrected", async () => {
  const order = await placeOrder(shop, lines(), { fields: { customerEmail: 'mistyped@example.test' } })
  const path = `/api/v1/admin/orders/${order.id}`
  await shop.call('PATCH', path, { token: admin, body: { customerEmail: 'right@example.test' } })
  const told = async () =>
    linesWith(await dumpShop(shop), ['mistyped@'])
      .map((line) => line.split(' ')[0])
      .filter((table) => table !== 'mails')
  expect(new Set(await told())).toEqual(new Set(['order_history', 'audit_log']))
  const body = { email: 'mistyped@example.test' }
  await shop.call('POST', '/api/v1/admin/privacy/erase', { token: admin, body })
  expect(await told()).toEqual([])
  expect(await orderDetails(shop, admin, order.id)).toMatchObject({ customerEmail: 'right@example.test' })
})

test('accounts of staff are not erased, and a person is named in one way', async () => {
  const erase = (body: object, language = 'en') =>
    shop.call('POST', '/api/v1/admin/privacy/erase', { token: admin, body, headers: { 'accept-language': language } })
  const editor = await createUser(shop, 'EDITOR', { phone: '8 (999) 888-77-66' })
  for (const body of [{ email: editor.email }, { phone: '+79998887766' }, { email: editor.email, dryRun: true }])
    expect((await erase(body)).body).toMatchObject({ code: 'FORBIDDEN' })
  expect((await erase({})).body).toMatchObject({ details: [{ path: 'email', message: 'Enter an email address' }] })
  const both = await erase({ email: 'a@b.test', phone: '+79998887766' })
  expect([both.status, both.body]).toMatchObject([400, { details: [{ path: 'phone' }] }])
  for (const body of [{ email: 'nobody' }, { phone: '12' }, { email: 'a@b.test', dryRun: 'yes' }])
    expect((await erase(body)).status).toBe(400)
})

test('finds emails in any case and script of the domain, and phones by their digits', async () => {
  const erase = (body: object) => shop.call('POST', '/api/v1/admin/privacy/erase', { token: admin, body })
  for (const customerEmail of ['Anna@Пример.рф', 'anna@xn--e1afmkfd.xn--p1ai', 'anna@example.test'])
    await finish(await placeOrder(shop, lines(), { fields: { customerEmail } }))
  expect((await erase({ email: 'ANNA@ПРИМЕР.РФ' })).body).toMatchObject({ orders: { erased: 2 } })
  for (const customerPhone of ['8 (905) 111-22-33', '+7 905 1112233', '９０５-111-22-33', '+8 905 111 22 33'])
    await finish(await placeOrder(shop, lines(), { fields: { customerPhone } }))
  expect((await erase({ phone: '79051112233' })).body).toMatchObject({ orders: { erased: 3 } })
})
