import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/schemas/orders.ts'
import { deliverDueMails } from '../../../src/services/mail/mail.ts'
import { loginAs } from '../../support/accounts.ts'
import { dumpShop, linesWith } from '../../support/dump.ts'
import { createProduct } from '../../support/factories.ts'
import { orderDetails, placeOrder, setSetting } from '../../support/orders.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  // Nothing listens there.
  shop = await startTestShop({
    SMTP_URL: 'smtp://127.0.0.1:9',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:9',
    RATE_LIMIT_LOGIN_PAIR: '2',
    RATE_LIMIT_ORDERS: '0',
  })
  admin = await loginAs(shop, 'ADMIN')
  productId = await createProduct(shop.deps.db, { stock: 1000 })
  const settings = { notification_email: 'staff@shop.test', consent_required: 'true', privacy_policy_version: '7' }
  for (const [key, value] of Object.entries(settings)) await setSetting(shop, admin, key, value)
  const events = ['order.created', 'order.status_changed', 'contact.created']
  await admins('POST', 'webhooks', { url: 'http://127.0.0.1:9/hook', events, active: true, description: '' })
})
afterAll(() => shop.close())

/** A request of an ADMIN that must succeed. */
async function admins(method: string, path: string, body?: object) {
  const answer = await shop.call(method, `/api/v1/admin/${path}`, { token: admin, ...(body && { body }) })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

function erase(body: object, token = admin) {
  return shop.call('POST', '/api/v1/admin/privacy/erase', { token, body })
}

const EMAIL = 'Evdokia.Zarechnaya@example.test'
const PASSWORD = 'evdokia knows it'
const FINISHED = {
  customerName: 'Евдокия Заречная',
  customerPhone: '8 (912) 345-67-89',
  customerEmail: EMAIL,
  deliveryAddress: 'Тверь, Кленовая 17',
  comment: 'Спросить бабушку Фросю',
  consent: true,
}
const OPEN = {
  customerName: 'Пётр Открытов',
  customerPhone: '+7 900 000-11-22',
  customerEmail: 'open@example.test',
  deliveryAddress: 'Открытый проезд 3',
  consent: true,
}
const MESSAGE = {
  name: 'Дуня Заречная',
  phone: '912 345 67 89',
  email: EMAIL,
  message: 'Где мой шуруповёрт?',
  consent: true,
}

/** What is to be gone, and what of the order that isn't finished stays. */
const GONE = [
  ...['евдокия', 'заречн', 'дуня', 'аккаунтова', EMAIL, 'кленовая', 'бабушк', 'шуруповёрт', 'перезвонить дуне'],
  ...['345-67-89', '345 67 89', '9123456789'],
]
/** What limits count by. */
const HASHES = [EMAIL.toLowerCase(), '79123456789'].map((text) => hash('sha256', text))
const countersOf = async () =>
  (await shop.deps.db.selectFrom('rate_limits').select('key').execute()).map(({ key }) => key)
const KEPT = ['открытов', '000-11-22', 'open@example.test', 'открытый проезд']

/** A person who has done everything that leaves a trace. */
async function live(): Promise<{ finished: Order; open: Order }> {
  const { db } = shop.deps
  const registered = await shop.call('POST', '/api/v1/auth/register', {
    body: { name: 'Евдокия Аккаунтова', email: EMAIL, password: PASSWORD, consent: true },
  })
  const { token, user } = registered.body as { token: string; user: { id: number } }
  await shop.call('PUT', '/api/v1/auth/profile', { token, body: { name: 'Евдокия Аккаунтова', phone: '89123456789' } })
  const lines = [{ productId, quantity: 1 }]
  const finished = await placeOrder(shop, lines, { token, key: 'once', fields: FINISHED })
  const open = await placeOrder(shop, lines, { token, fields: OPEN })
  const deleted = await placeOrder(shop, lines, { fields: FINISHED })
  const answers = []
  for (let n = 0; n < 2; n++) answers.push(await shop.call('POST', '/api/v1/contacts', { body: MESSAGE }))
  const [contactId = 0, deletedContactId = 0] = answers.map(({ body }) => (body as { id: number }).id)

  const edited = { customerName: 'Евдокия П. Заречная', adminComment: 'Перезвонить Дуне', comment: 'Бабушка Фрося' }
  await admins('PATCH', `orders/${finished.id}`, edited)
  await db
    .insertInto('order_submit_attempts')
    .values({
      order_id: finished.id,
      started_at: new Date(),
      duration_ms: 1,
      outcome: 'REFUSED',
      request: JSON.stringify({ customer: FINISHED }),
      response: JSON.stringify({ body: `no such street: ${FINISHED.deliveryAddress}` }),
      error: FINISHED.deliveryAddress,
    })
    .execute()
  await db.updateTable('orders').set({ submit_error: 'Кленовая?' }).where('id', '=', finished.id).execute()
  await admins('PATCH', `orders/${finished.id}`, { status: 'COMPLETED' })
  await admins('PUT', `contacts/${contactId}/notes`, { notes: 'Перезвонить Дуне' })
  await admins('DELETE', `contacts/${deletedContactId}`)
  await admins('PATCH', `orders/${deleted.id}`, { customerName: 'Евдокия' })
  await admins('DELETE', `orders/${deleted.id}`)
  await admins('PUT', `users/${user.id}`, { name: 'Евдокия Заречная-Аккаунтова', email: EMAIL, role: 'USER' })

  for (let n = 0; n < 3; n++)
    await shop.call('POST', '/api/v1/auth/login', { body: { email: EMAIL, password: 'wrong' } })
  const blocks = (await admins('GET', 'login-blocks')) as { id: string; email: string | null }[]
  expect(blocks.map(({ email }) => email)).toContain(EMAIL.toLowerCase())
  await admins('DELETE', `login-blocks/${blocks[0]?.id}`)
  await shop.call('POST', '/api/v1/auth/login', { body: { email: EMAIL, password: 'wrong' } })
  await shop.call('POST', '/api/v1/auth/forgot-password', { body: { email: EMAIL } })
  await expect.poll(() => db.selectFrom('password_resets').select('user_id').execute(), SOON).toHaveLength(1)

  // Mails that failed, were sent, still wait, and one that staff delete; webhooks that were answered.
  await deliverDueMails(shop.deps)
  const mails = await db.selectFrom('mails').select(['id', 'subject']).orderBy('id').execute()
  const ofContact = mails.filter(({ subject }) => subject.includes('Дуня'))
  expect(ofContact).toHaveLength(2)
  await admins('DELETE', `mails/${ofContact[0]?.id}`)
  await sql`update mails set status = case when id % 3 = 0 then 'SENT' when id % 3 = 1 then 'FAILED' else status end,
    last_error = ${`550 no mailbox ${EMAIL}`}
    where order_id is distinct from ${open.id}`.execute(db)
  await sql`update webhook_deliveries set response = ${`thank you, ${EMAIL}`}
    where body like '%Заречн%' and id % 2 = 0`.execute(db)
  return { finished, open }
}

test('leaves nothing of a person in any table or file but orders that are not finished', {
  timeout: 60_000,
}, async () => {
  const { db } = shop.deps
  const { finished, open } = await live()
  const before = await dumpShop(shop)
  for (const text of [...GONE, ...KEPT]) expect(linesWith(before, [text]), text).not.toEqual([])
  for (const table of [
    'users',
    'orders',
    'order_history',
    'contact_requests',
    'mails',
    'audit_log',
    'webhook_deliveries',
  ])
    expect(
      linesWith(before, GONE).filter((line) => line.startsWith(`${table} `)),
      table,
    ).not.toEqual([])

  for (const hashed of HASHES) expect((await countersOf()).join(), hashed).toContain(hashed)
  const dry = await erase({ email: EMAIL.toUpperCase(), dryRun: true })
  expect(dry.body).toEqual({
    orders: { erased: 1, open: [open.id] },
    contacts: 1,
    mails: expect.any(Number),
    users: 1,
    consents: expect.any(Number),
    audit: expect.any(Number),
  })
  expect(await dumpShop(shop)).toBe(before)

  const wet = await erase({ email: EMAIL })
  expect(wet.body).toEqual(dry.body)
  const after = await dumpShop(shop)
  expect(linesWith(after, GONE)).toEqual([])
  for (const text of KEPT) expect(linesWith(after, [text]), text).not.toEqual([])
  expect((await countersOf()).filter((key) => HASHES.some((hash) => key.includes(hash)))).toEqual([])
  expect(await db.selectFrom('password_resets').selectAll().execute()).toEqual([])

  const erased = await orderDetails(shop, admin, finished.id)
  expect(erased).toMatchObject({
    status: 'COMPLETED',
    customerName: '—',
    ...{ customerPhone: null, customerEmail: null, deliveryAddress: null, comment: null, adminComment: null },
    ...{ userId: null, customer: null, total: finished.total },
    items: [{ productId, quantity: 1 }],
    history: [
      { fromStatus: null, toStatus: 'NEW', userName: null, before: null, after: null },
      { toStatus: 'NEW', userName: expect.stringContaining('ADMIN'), before: null, after: null },
      { fromStatus: 'NEW', toStatus: 'COMPLETED', before: null, after: null },
    ],
  })
  expect(await orderDetails(shop, admin, open.id)).toMatchObject({
    customerName: 'Пётр Открытов',
    userId: null,
    status: 'NEW',
  })
  const log = await db.selectFrom('audit_log').selectAll().where('entity', '=', 'PRIVACY').execute()
  expect(log).toMatchObject([{ entity_id: 'erasure', action: 'CREATE', after: { by: 'email', users: 1 } }])
  const ofOrder = await db
    .selectFrom('audit_log')
    .select('after')
    .where('entity', '=', 'ORDER')
    .where('entity_id', '=', String(finished.id))
    .orderBy('id')
    .execute()
  expect(ofOrder.map((entry) => entry.after)).toEqual([{}, { status: 'COMPLETED' }])

  // The order's webhooks go on without the customer; nothing is left to find.
  const bodies = await db.selectFrom('webhook_deliveries').select(['event', 'body']).orderBy('id').execute()
  expect(bodies.filter(({ event }) => event === 'contact.created')).toEqual([])
  expect(JSON.parse(bodies[0]?.body ?? '')).toMatchObject({
    type: 'order.created',
    data: { id: finished.id, customerName: '—', customerPhone: null, total: finished.total },
  })
  const nothing = { contacts: 0, mails: 0, users: 0, consents: 0, audit: 0 }
  expect((await erase({ email: EMAIL })).body).toEqual({ orders: { erased: 0, open: [] }, ...nothing })
  expect((await erase({ phone: '+79123456789' })).body).toEqual({ orders: { erased: 0, open: [] }, ...nothing })

  // Once it is finished, the open one goes too, found by its phone.
  await admins('PATCH', `orders/${open.id}`, { status: 'CANCELLED' })
  expect((await erase({ phone: '9000001122' })).body).toMatchObject({ orders: { erased: 1, open: [] }, users: 0 })
  expect(linesWith(await dumpShop(shop), [...GONE, ...KEPT])).toEqual([])
})
