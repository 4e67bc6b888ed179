import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { lockUsers } from '../../../db/queries/accounts/users.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import { requestPasswordReset, resetPassword } from '../../../src/services/accounts/auth.ts'
import { deliverDueMails } from '../../../src/services/mail/mail.ts'
import { purge } from '../../../src/services/operations/jobs.ts'
import { createUser, PASSWORD } from '../../support/accounts.ts'
import { openEvents } from '../../support/events.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { sentMails } from '../../support/mails.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const NEW_PASSWORD = 'something quite different'
let shop: TestShop
let user: UserRow
let count = 0

/** What goes on after responses. */
const background: Promise<unknown>[] = []

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: 'https://shop.example', TRUST_PROXY: 'true' })
  const { tasks } = shop.deps
  const { run } = tasks
  tasks.run = (work, graceMs) => {
    const result = run(work, graceMs)
    background.push(result)
    return result
  }
})
beforeEach(async () => {
  user = await createUser(shop, 'USER')
  count += 1
})
afterAll(() => shop.close())

/** From an address of its own for each test, as each has its limits. */
const post = (path: string, body: unknown) =>
  shop.call('POST', `/api/v1/auth/${path}`, { body, headers: { 'x-forwarded-for': `192.0.2.${count}` } })
async function forget(email = user.email) {
  const answer = await post('forgot-password', { email })
  await Promise.allSettled(background)
  return answer
}
const reset = (token: string, password = NEW_PASSWORD) => post('reset-password', { token, password })
const login = (password: string) => post('login', { email: user.email, password })
const invalid = { status: 400, body: { code: 'RESET_TOKEN_INVALID' } }

async function mailedTokens(): Promise<string[]> {
  const mails = await sentMails(shop)
  const tokenIn = (body: string) => /^https:\/\/shop\.example\/reset-password\?token=([\w-]{43})\s*$/m.exec(body)?.[1]
  return mails.filter(({ to }) => to === user.email).flatMap(({ body }) => tokenIn(body) ?? [])
}

async function mailedToken(): Promise<string> {
  expect(await forget()).toMatchObject({ status: 202, body: {} })
  const [token = ''] = await mailedTokens()
  expect(token).not.toBe('')
  return token
}

test('a mailed link sets a new password and ends every session', async () => {
  const session = shop.app.signToken(user)
  const live = await openEvents(shop.url)
  await live.subscribe(['my-orders'], session)
  const token = await mailedToken()
  expect((await reset(token)).status).toBe(204)
  expect(await live.closed).toBe(4401)
  expect((await shop.call('GET', '/api/v1/auth/profile', { token: session })).status).toBe(401)
  expect((await login(PASSWORD)).status).toBe(401)
  expect((await login(NEW_PASSWORD)).status).toBe(200)
  const [notice, ...others] = await sentMails(shop)
  expect(others).toEqual([])
  expect(notice).toMatchObject({ to: user.email, subject: 'Shop: пароль изменён' })
  expect(await reset(token, 'one more password')).toMatchObject(invalid)
  expect((await login(NEW_PASSWORD)).status).toBe(200)
})

test('the database holds a hash of the token, in the outbox too', async () => {
  await forget(` ${user.email.toUpperCase()} `)
  const mails = shop.deps.db.selectFrom('mails').selectAll().where('recipient', '=', user.email)
  const before = await mails.executeTakeFirstOrThrow()
  expect(before).toMatchObject({ body: 'Shop: новый пароль', html: null, sealed: expect.any(Buffer) })
  expect(before.sealed?.toString('latin1')).not.toContain('reset-password')
  const [token = ''] = await mailedTokens()
  expect(await mails.executeTakeFirstOrThrow()).toMatchObject({ status: 'SENT', sealed: null })
  const hash = createHash('sha256').update(token).digest()
  const stored = shop.deps.db.selectFrom('password_resets').select('user_id').where('token_hash', '=', hash)
  expect(await stored.execute()).toEqual([{ user_id: user.id }])
})

test('a mail that was encrypted with another secret fails instead of being sent', async () => {
  await forget()
  const { config } = shop.deps
  await deliverDueMails({ ...shop.deps, config: { ...config, jwtSecret: 'cd'.repeat(32) } })
  const mails = shop.deps.db.selectFrom('mails').selectAll().where('recipient', '=', user.email)
  expect(await mails.execute()).toMatchObject([{ status: 'FAILED', last_error: expect.stringContaining('JWT_SECRET') }])
  expect(await sentMails(shop)).toEqual([])
})

test('an address without an account gets the same answer, and no mail', async () => {
  expect(await forget('nobody@example.test')).toMatchObject({ status: 202, body: {} })
  expect(await sentMails(shop)).toEqual([])
})

test('the response waits for no statement', async () => {
  const answer = await whileLocked(
    shop.deps.db,
    (trx) => sql`lock table users`.execute(trx),
    () => post('forgot-password', { email: user.email }),
  )
  expect(answer).toMatchObject({ status: 202, body: {} })
  await Promise.all(background)
  expect(await mailedTokens()).toHaveLength(1)
})

test.each(['', 'anna', 'a@b@c', 'a@example.test\r\nBcc: b@example.test'])('%j is a 400', async (email) => {
  expect(await forget(email)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
})

test('of concurrent uses of a token one wins', async () => {
  const token = await mailedToken()
  const answers: ReturnType<typeof reset>[] = []
  await whileLocked(
    shop.deps.db,
    (trx) => lockUsers(trx, [user.id]),
    async () => {
      answers.push(reset(token), reset(token, 'another new password'))
      await untilWaiting(shop.deps.db, 2)
    },
  )
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([204, 400])
  expect((await sentMails(shop)).map(({ subject }) => subject)).toEqual(['Shop: пароль изменён'])
})

test('a new request invalidates the older link; a fourth in an hour sends none and invalidates none', async () => {
  const older = await mailedToken()
  await mailedToken()
  expect(await reset(older)).toMatchObject(invalid)
  const third = await mailedToken()
  expect((await forget()).status).toBe(202)
  expect(await sentMails(shop)).toEqual([])
  expect((await reset(third)).status).toBe(204)
})

test('concurrent requests send three mails, of which one has the valid link', async () => {
  await Promise.all([forget(), forget(), forget(), forget(), forget()])
  const tokens = await mailedTokens()
  expect(tokens).toHaveLength(3)
  const statuses = []
  for (const token of tokens) statuses.push((await reset(token)).status)
  expect(statuses.toSorted()).toEqual([204, 400, 400])
})

test('a link expires after 60 minutes and is purged', async () => {
  const token = await mailedToken()
  const resets = shop.deps.db.selectFrom('password_resets').where('user_id', '=', user.id)
  const { minutes } = await resets
    .select(sql<number>`extract(epoch from expires_at - now()) / 60`.as('minutes'))
    .executeTakeFirstOrThrow()
  expect(Number(minutes)).toBeGreaterThan(58)
  expect(Number(minutes)).toBeLessThanOrEqual(60)
  await purge(shop.deps)
  expect(await resets.select('user_id').execute()).toHaveLength(1)
  await shop.deps.db.updateTable('password_resets').set({ expires_at: new Date() }).execute()
  expect(await reset(token)).toMatchObject(invalid)
  await purge(shop.deps)
  expect(await shop.deps.db.selectFrom('password_resets').selectAll().execute()).toEqual([])
})

test('a link that was asked for again after a change of the password works', async () => {
  await mailedToken()
  await shop.deps.db.updateTable('users').set({ token_version: 1 }).where('id', '=', user.id).execute()
  await forget()
  const [token = ''] = await mailedTokens()
  expect((await reset(token)).status).toBe(204)
})

test.each([
  ['password', { token_version: 1 }],
  ['email', { email: 'moved@example.test' }],
])('a %s changed meanwhile invalidates the link', async (_what, change) => {
  const token = await mailedToken()
  await shop.deps.db.updateTable('users').set(change).where('id', '=', user.id).execute()
  expect(await reset(token)).toMatchObject(invalid)
})

test('what cannot be completed changes nothing: the link can be used again', async () => {
  const token = await mailedToken()
  const { db } = shop.deps
  // The mail to the owner is the last statement.
  await sql`alter table mails add constraint broken check (subject not like '%изменён') not valid`.execute(db)
  expect((await reset(token)).status).not.toBe(204)
  expect((await login(PASSWORD)).status).toBe(200)
  await sql`alter table mails drop constraint broken`.execute(db)
  expect((await reset(token)).status).toBe(204)
})

test('a bad password is a 400 that leaves the link usable', async () => {
  const token = await mailedToken()
  for (const password of ['short', 'ж'.repeat(40)]) {
    const answer = await reset(token, password)
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'password' }] } })
  }
  expect((await reset(token)).status).toBe(204)
})

test('lifts the blocks of failed logins', async () => {
  for (let n = 0; n < 10; n += 1) await login('wrong')
  expect((await login(PASSWORD)).status).toBe(429)
  expect((await reset(await mailedToken())).status).toBe(204)
  expect((await login(NEW_PASSWORD)).status).toBe(200)
})

test.each(['forgot-password', 'reset-password'])('%s is limited to 20 requests per address', async (path) => {
  count += 1
  const statuses = []
  for (let n = 0; n < 20; n += 1) statuses.push((await post(path, {})).status)
  expect(new Set(statuses)).toEqual(new Set([400]))
  const refused = await post(path, {})
  expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('the log has neither token nor address', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const deps = { ...shop.deps, log }
  requestPasswordReset(deps, { email: user.email })
  await Promise.all(background)
  await deliverDueMails(deps)
  const [token = ''] = await mailedTokens()
  await resetPassword(deps, { token, password: NEW_PASSWORD }, '127.0.0.1')
  expect(lines.join('')).not.toContain(token)
  expect(lines.join('')).not.toContain(user.email)
})

test('a failure after the response is logged', async () => {
  const logged = vi.spyOn(shop.deps.log, 'error')
  await sql`alter table mails add constraint broken check (subject not like '%новый пароль') not valid`.execute(
    shop.deps.db,
  )
  expect((await forget()).status).toBe(202)
  await sql`alter table mails drop constraint broken`.execute(shop.deps.db)
  expect(logged).toHaveBeenCalledWith(expect.anything(), 'password reset link not mailed')
  expect(await mailedTokens()).toEqual([])
})
