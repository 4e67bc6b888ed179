import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { purge } from '../../src/services/operations/jobs.ts'
import { loginAs } from '../support/accounts.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const PROXIED = { TRUST_PROXY: 'true' }

let shop: TestShop
let second: TestShop

beforeAll(async () => {
  shop = await startTestShop(PROXIED)
  second = await startTestShop(PROXIED, { databaseUrl: shop.deps.config.databaseUrl })
})
beforeEach(async () => {
  const { db } = shop.deps
  await sql`truncate contact_requests, rate_limits, mails restart identity`.execute(db)
  const changed = sql`key like 'contact_limit_%' or key = 'notification_email'`
  await sql`create table if not exists original_settings as select key, value from app_config where ${changed}`.execute(
    db,
  )
  await sql`update app_config c set value = o.value from original_settings o where o.key = c.key`.execute(db)
  for (const { deps } of [shop, second]) deps.caches.clear()
})
afterAll(async () => {
  await second.close()
  await shop.close()
})

const valid = { name: 'Анна', phone: '+7 900 123-45-67', message: 'Перезвоните' }

const send = (body: unknown, address = '192.0.2.1', at = shop) =>
  at.call('POST', '/api/v1/contacts', { body, headers: { 'x-forwarded-for': address } })

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)
const stored = () => shop.deps.db.selectFrom('contact_requests').selectAll().orderBy('id').execute()
const counters = () => shop.deps.db.selectFrom('rate_limits').selectAll().execute()
const mails = () => shop.deps.db.selectFrom('mails').selectAll().orderBy('id').execute()

async function configure(key: string, value: string): Promise<void> {
  const token = await loginAs(shop, 'ADMIN')
  const { status } = await shop.call('PUT', `/api/v1/admin/config/${key}`, { token, body: { value } })
  expect(status).toBe(200)
}

/** Simulates the passing of time. */
const later = (minutes: number) =>
  sql`update rate_limits set resets_at = resets_at - ${minutes}::int * interval '1 minute'`.execute(shop.deps.db)

test('stores the documented fields, trimmed', async () => {
  const answer = await send({
    name: '  Анна\r\nBcc: ',
    phone: ' +7 900 123-45-67 ',
    email: ' Anna@Example.test ',
    message: "\n100 % '; drop table x; -- <b>\n",
    website: ' ',
    status: 'CLOSED',
    notes: 'mine',
    id: 77,
    createdAt: '2020-01-01T00:00:00Z',
  })
  expect(answer.status).toBe(201)
  const [row] = await stored()
  expect(answer.body).toEqual({
    id: row?.id,
    name: 'Анна Bcc:',
    phone: '+7 900 123-45-67',
    email: 'Anna@Example.test',
    message: "100 % '; drop table x; -- <b>",
    status: 'NEW',
    notes: null,
    createdAt: row?.created_at.toISOString(),
    updatedAt: row?.created_at.toISOString(),
  })
  expect(row).toMatchObject({ name: 'Анна Bcc:', email: 'Anna@Example.test', status: 'NEW', notes: null })
  expect(row?.id).toBe(1)
})

test('accepts the emails that mails can be sent to, without what can’t be seen', async () => {
  const answer = await send({ ...valid, phone: '+7 900 555-00-00', email: '\u200FAnna@пример.рф' }, '192.0.2.8')
  expect([answer.status, answer.body]).toMatchObject([201, { email: 'Anna@пример.рф' }])
  for (const email of ['анна@пример.рф', '\u0430nna@example.test']) {
    expect(await send({ ...valid, phone: '+7 900 555-00-01', email }, '192.0.2.8')).toMatchObject({
      status: 400,
      body: { details: [{ path: 'email', message: expect.stringContaining('email address') }] },
    })
  }
})

test('accepts a missing or empty email', async () => {
  for (const [turn, email] of [undefined, null, '', '  '].entries()) {
    const answer = await send({ ...valid, phone: `+7 900 000-00-0${turn}`, email }, '192.0.2.9')
    expect([answer.status, answer.body]).toMatchObject([201, { email: null }])
  }
})

test('rejects an invalid request with 400 without counting it', async () => {
  const bodies = [
    undefined,
    [],
    'text',
    {},
    { ...valid, name: undefined },
    { ...valid, name: ' \n' },
    { ...valid, name: '\u0001' },
    { ...valid, name: 'x'.repeat(201) },
    { ...valid, name: 3 },
    { ...valid, phone: '' },
    { ...valid, phone: '12-34' },
    { ...valid, phone: 'call me maybe' },
    { ...valid, phone: '1'.repeat(51) },
    { ...valid, phone: 79001234567 },
    { ...valid, message: '   ' },
    { ...valid, message: 'x'.repeat(10_001) },
    { ...valid, message: null },
    { ...valid, email: 'anna' },
    { ...valid, email: 'a@example.test,b@example.test' },
    { ...valid, email: 'a@example.test\r\nBcc: x@example.test' },
    { ...valid, email: `${'x'.repeat(250)}@example.test` },
    { ...valid, email: ['a@example.test'] },
    { ...valid, message: 'a\u0000b' },
    { ...valid, name: '\ud800' },
    { ...valid, website: true },
  ]
  for (const body of bodies) {
    const answer = await send(body)
    expect([body, answer.status, answer.body]).toMatchObject([body, 400, { code: 'VALIDATION_FAILED' }])
  }
  expect([await stored(), await counters()]).toEqual([[], []])
})

test('reports all faults at once', async () => {
  const { body } = await send({ ...valid, phone: 'call me maybe', email: 'anna' })
  expect(body).toMatchObject({ details: [{ path: 'phone' }, { path: 'email' }] })
})

test('accepts the longest values and mails them', async () => {
  await configure('notification_email', 'boss@example.test')
  const body = { name: '😀'.repeat(200), phone: '1'.repeat(50), message: 'ё'.repeat(10_000) }
  expect((await send(body)).status).toBe(201)
  expect(await mails()).toHaveLength(1)
})

test('responds 429 after three requests of one phone in any spelling', async () => {
  const phones = ['+7 900 123-45-67', '8 (900) 1234567', '9001234567', '79001234567']
  const answers = []
  for (const [turn, phone] of phones.entries()) answers.push(await send({ ...valid, phone }, `192.0.2.${turn}`))
  expect(statuses(answers)).toEqual([201, 201, 201, 429])
  expect(answers[3]?.body).toMatchObject({ error: 'Too Many Requests', code: 'RATE_LIMITED' })
  const seconds = Number(answers[3]?.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(3500)
  expect(seconds).toBeLessThanOrEqual(3600)
  expect((await send({ ...valid, phone: '+7 900 765-43-21' }, '192.0.2.9')).status).toBe(201)
  expect(await stored()).toHaveLength(4)
})

test('responds 429 after five requests of one address or IPv6 network', async () => {
  const answers = []
  for (let turn = 0; turn < 6; turn++) {
    answers.push(await send({ ...valid, phone: `+7 900 000-00-0${turn}` }, `2001:db8::${turn + 1}`))
  }
  expect(statuses(answers)).toEqual([201, 201, 201, 201, 201, 429])
  expect((await send({ ...valid, phone: '+7 900 000-00-07' }, '2001:db8:0:1::1')).status).toBe(201)
})

test('counts a request refused by one limit against no other', async () => {
  for (let turn = 0; turn < 3; turn++) await send(valid, '192.0.2.1')
  // The phone is over its limit: ten more from another address leave that address all of its five.
  for (let turn = 0; turn < 10; turn++) expect((await send(valid, '192.0.2.2')).status).toBe(429)
  const others = []
  for (let turn = 0; turn < 5; turn++)
    others.push(await send({ ...valid, phone: `+7 900 111-11-1${turn}` }, '192.0.2.2'))
  expect(statuses(others)).toEqual([201, 201, 201, 201, 201])
  // And the other way round: the address is over its limit, the phone is not.
  const phone = '+7 900 222-22-22'
  for (let turn = 0; turn < 10; turn++) expect((await send({ ...valid, phone }, '192.0.2.2')).status).toBe(429)
  const own = []
  for (let turn = 0; turn < 4; turn++) own.push(await send({ ...valid, phone }, '192.0.2.3'))
  expect(statuses(own)).toEqual([201, 201, 201, 429])
})

test('enforces the limits on concurrent requests over two instances', async () => {
  await configure('notification_email', 'boss@example.test')
  const phoneLimited = await Promise.all(
    Array.from({ length: 25 }, (_, n) => send(valid, `192.0.2.${n}`, n % 2 ? shop : second)),
  )
  expect(statuses(phoneLimited).toSorted()).toEqual([...Array(3).fill(201), ...Array(22).fill(429)])
  const addressLimited = await Promise.all(
    Array.from({ length: 25 }, (_, n) => {
      const phone = `+7 901 000-00-${10 + n}`
      return send({ ...valid, phone }, '198.51.100.1', n % 2 ? shop : second)
    }),
  )
  expect(statuses(addressLimited).toSorted()).toEqual([...Array(5).fill(201), ...Array(20).fill(429)])
  expect([(await stored()).length, (await mails()).length]).toEqual([8, 8])
})

test('does not deadlock on senders that share phones and addresses', async () => {
  await configure('contact_limit_per_ip', '1000')
  await configure('contact_limit_per_phone', '1000')
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => send({ ...valid, phone: `+7 900 000-00-0${n % 3}` }, `192.0.2.${n % 4}`)),
  )
  expect(new Set(statuses(answers))).toEqual(new Set([201]))
})

test('restarts the count after the window and purges expired counters', async () => {
  for (let turn = 0; turn < 3; turn++) await send(valid)
  await later(59)
  await purge(shop.deps)
  expect((await send(valid)).status).toBe(429)
  await later(1)
  expect((await send(valid)).status).toBe(201)
  await later(60)
  await purge(shop.deps)
  expect(await counters()).toEqual([])
})

test('applies changed limits from the next request on; 0 disables them', async () => {
  await configure('contact_limit_per_phone', '1')
  expect(statuses([await send(valid), await send(valid)])).toEqual([201, 429])
  await configure('contact_limit_per_phone', '2')
  expect(statuses([await send(valid), await send(valid)])).toEqual([201, 429])
  await configure('contact_limit_window_minutes', '100000')
  expect((await send(valid)).status).toBe(201)
  await send(valid)
  const refused = await send(valid)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5_999_000)
  // Of the address two were counted in this window.
  await configure('contact_limit_per_phone', '0')
  const more = [await send(valid), await send(valid), await send(valid), await send(valid)]
  expect(statuses(more)).toEqual([201, 201, 201, 429])
  await configure('contact_limit_per_ip', '0')
  expect(statuses([await send(valid), await send(valid)])).toEqual([201, 201])
})

test('answers a filled honeypot like any request, but stores and counts nothing', async () => {
  await configure('notification_email', 'boss@example.test')
  const real = await send(valid)
  const bodies = []
  for (let turn = 0; turn < 10; turn++) {
    const answer = await send({ ...valid, website: 'http://spam.test' })
    expect(answer.status).toBe(201)
    bodies.push(answer.body)
  }
  const keys = Object.keys(real.body ?? {})
  expect(bodies.map((body) => Object.keys(body ?? {}))).toEqual(bodies.map(() => keys))
  const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(bodies[0]).toEqual({ ...Object(real.body), id: 2, createdAt: now, updatedAt: now })
  expect([(await stored()).length, (await mails()).length]).toEqual([1, 1])
  expect((await counters()).map(({ count }) => count)).toEqual([1, 1])
  expect((await send(valid)).status).toBe(201)
})

test('queues a mail to staff in the same transaction if configured', async () => {
  await send(valid)
  expect(await mails()).toEqual([])
  await configure('notification_email', 'boss@example.test')
  await send({ ...valid, name: 'A\r\nBcc: x@example.test' })
  expect(await mails()).toMatchObject([
    {
      recipient: 'boss@example.test',
      subject: 'Новое обращение № 2: A Bcc: x@example. test',
      status: 'PENDING',
    },
  ])
  // The mail can't be written: neither is the request, and nothing has counted.
  await sql`alter table mails rename to no_mails`.execute(shop.deps.db)
  const before = await counters()
  expect((await send(valid)).status).toBe(500)
  await sql`alter table no_mails rename to mails`.execute(shop.deps.db)
  expect(await stored()).toHaveLength(2)
  expect(await counters()).toEqual(before)
})
