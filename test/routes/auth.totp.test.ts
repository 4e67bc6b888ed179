import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readSnapshot } from '../../db/backup/snapshot.ts'
import { storeReset } from '../../db/queries/accounts/users.ts'
import type { UserRow } from '../../db/tables/users.ts'
import { hashToken, newToken } from '../../src/runtime/secrets.ts'
import { createUser, loginAs, PASSWORD } from '../support/accounts.ts'
import { statusesOf } from '../support/logins.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { codeOf, moveClock, switchTotpOn } from '../support/totp.ts'

let shop: TestShop
let user: UserRow
let startedAt: Date

beforeAll(async () => {
  shop = await startTestShop({ TRUST_PROXY: 'true' })
  startedAt = new Date(Math.floor(Date.now() / 30_000) * 30_000 + 10_000)
})
beforeEach(async () => {
  shop.deps.now = () => startedAt
  user = await createUser(shop, 'MANAGER')
  await shop.deps.db.deleteFrom('rate_limits').execute()
})
afterEach(() => {
  shop.deps.config.jwtSecret = 'ab'.repeat(32)
})
afterAll(() => shop.close())

const call = (method: string, path: string, body?: unknown, token = shop.app.signToken(user)) =>
  shop.call(method, `/api/v1/auth/${path}`, { token, body, headers: { 'x-forwarded-for': '192.0.2.1' } })
const login = (code?: string, { password = PASSWORD, address = '192.0.2.1' } = {}) =>
  shop.call('POST', '/api/v1/auth/login', {
    body: { email: user.email, password, ...(code !== undefined && { code }) },
    headers: { 'x-forwarded-for': address },
  })
const UNAUTHORIZED = '{"error":"Unauthorized"}'

async function newPasswordByMail(password: string): Promise<void> {
  const { db } = shop.deps
  const token = newToken()
  const owner = await db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow()
  await db.transaction().execute((trx) => storeReset(trx, owner, hashToken(token), 60))
  expect((await call('POST', 'reset-password', { token, password })).status).toBe(204)
}

/** Another code than those of the steps around now. */
function wrongCode(secret: string): string {
  const right = [-1, 0, 1].map((step) => codeOf(shop, secret, step))
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? ''
}

describe('setup', () => {
  test('is confirmed by the first code, and then every login needs one', async () => {
    const setup = await call('POST', 'totp')
    expect(setup).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^[A-Z2-7]{32}$/) } })
    const { secret, uri, recoveryCodes } = Object(setup.body)
    const address = new URL(uri)
    expect(address.href).toMatch(/^otpauth:\/\/totp\/Shop:manager-\d+%40example\.test\?/)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ secret, issuer: 'Shop' })
    expect(new Set(recoveryCodes).size).toBe(10)
    expect((await call('GET', 'profile')).body).toMatchObject({ totp: false })
    expect((await login()).status).toBe(200)

    for (const code of [wrongCode(secret), '', 'abcdef', recoveryCodes[0]]) {
      const refused = await call('POST', 'totp/confirm', { code })
      expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'code' }] } })
    }
    expect((await login()).status).toBe(200)
    const code = codeOf(shop, secret)
    expect(await call('POST', 'totp/confirm', { code })).toMatchObject({ status: 200, body: { totp: true } })
    expect((await call('GET', 'profile')).body).toMatchObject({ totp: true })
    const admin = await loginAs(shop, 'ADMIN')
    const listed = await shop.call('GET', `/api/v1/admin/users/${user.id}`, { token: admin })
    expect(listed.body).toMatchObject({ totp: true, version: user.version + 1 })

    for (const missing of [undefined, '', ' ']) {
      const refused = await login(missing)
      expect([refused.status, refused.text]).toEqual([401, '{"error":"Unauthorized","code":"TOTP_REQUIRED"}'])
    }
    // The first code is used up.
    expect((await login(code)).text).toBe(UNAUTHORIZED)
    moveClock(shop, 1)
    expect((await login(codeOf(shop, secret))).status).toBe(200)
  })

  test('tells nobody without the password that there is a second factor', async () => {
    const { secret } = await switchTotpOn(shop, user)
    const password = 'wrong'
    for (const code of [undefined, '', wrongCode(secret), codeOf(shop, secret)]) {
      const refused = await login(code, { password })
      expect([refused.status, refused.text]).toEqual([401, UNAUTHORIZED])
    }
    // A code beside a wrong password isn't used up.
    expect((await login(codeOf(shop, secret))).status).toBe(200)
  })

  test('replaces one that was not confirmed, and is a conflict once it is on', async () => {
    const first = Object((await call('POST', 'totp')).body)
    const second = Object((await call('POST', 'totp')).body)
    const confirm = (secret: string) => call('POST', 'totp/confirm', { code: codeOf(shop, secret) })
    expect((await confirm(first.secret)).status).toBe(400)
    expect((await confirm(second.secret)).status).toBe(200)
    expect((await login(first.recoveryCodes[0])).status).toBe(401)
    expect((await login(second.recoveryCodes[0])).status).toBe(200)
    for (const again of [await call('POST', 'totp'), await confirm(second.secret)])
      expect(again).toMatchObject({ status: 409, body: { code: 'TOTP_ON' } })
  })

  test('has to come before its confirmation', async () => {
    expect(await call('POST', 'totp/confirm', { code: '123456' })).toMatchObject({
      status: 409,
      body: { code: 'TOTP_OFF' },
    })
    expect((await shop.call('POST', '/api/v1/auth/totp')).status).toBe(401)
  })

  test('is for customers too', async () => {
    user = await createUser(shop, 'USER')
    const { secret } = await switchTotpOn(shop, user)
    expect((await login()).status).toBe(401)
    expect((await login(codeOf(shop, secret))).status).toBe(200)
  })
})

describe('codes', () => {
  test('are accepted one step early and late', async () => {
    const { secret } = await switchTotpOn(shop, user)
    moveClock(shop, 10)
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const) {
      expect((await login(codeOf(shop, secret, steps))).status, `${steps}`).toBe(status)
    }
    moveClock(shop, 3)
    const code = codeOf(shop, secret)
    expect((await login(` ${code.slice(0, 3)} ${code.slice(3)} `)).status).toBe(200)
  })

  test('work once, nor do those before one that was used', async () => {
    const { secret } = await switchTotpOn(shop, user)
    moveClock(shop, 5)
    const [earlier, code] = [codeOf(shop, secret, -1), codeOf(shop, secret)]
    expect((await login(code)).status).toBe(200)
    for (const used of [code, earlier]) expect((await login(used)).text).toBe(UNAUTHORIZED)
    moveClock(shop, 1)
    expect((await login(code)).status).toBe(401)
  })

  test('let one of several simultaneous logins in', async () => {
    const { secret, recoveryCodes } = await switchTotpOn(shop, user)
    for (const code of [codeOf(shop, secret), recoveryCodes[3]]) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => login(code)))
      expect(statusesOf(answers).toSorted()).toEqual([200, 401, 401, 401, 401, 401])
      await shop.deps.db.deleteFrom('rate_limits').execute()
    }
  })

  test('for recovery work once, however they are typed', async () => {
    const { recoveryCodes } = await switchTotpOn(shop, user)
    const [one = '', two = '', three = ''] = recoveryCodes
    for (const code of [one, two.replaceAll('-', ' ').toUpperCase(), three.replaceAll('-', '')]) {
      expect((await login(code)).status).toBe(200)
      expect((await login(code)).text).toBe(UNAUTHORIZED)
    }
    const left = await shop.deps.db.selectFrom('recovery_codes').where('user_id', '=', user.id).selectAll().execute()
    expect(left).toHaveLength(7)
  })

  test('of another account are refused', async () => {
    const other = await switchTotpOn(shop, await createUser(shop, 'MANAGER'))
    await switchTotpOn(shop, user)
    expect((await login(other.recoveryCodes[0])).status).toBe(401)
    expect((await login(codeOf(shop, other.secret))).status).toBe(401)
  })
})

test('the database reveals neither secret nor recovery codes', async () => {
  const { secret, recoveryCodes } = await switchTotpOn(shop, user)
  let dump = ''
  await readSnapshot(shop.deps.config.databaseUrl, async (_table, rows) => {
    for await (const chunk of rows) dump += chunk
  })
  expect(dump).toContain(user.email)
  for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
    for (const spelling of [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64')])
      expect(dump.toLowerCase()).not.toContain(spelling.toLowerCase())
  }

  // With another JWT_SECRET only recovery codes work.
  shop.deps.config.jwtSecret = 'cd'.repeat(32)
  expect((await login(codeOf(shop, secret))).text).toBe(UNAUTHORIZED)
  expect((await login(recoveryCodes[0])).status).toBe(200)
})

describe('limits', () => {
  test('count wrong codes as failed logins, and right ones not', async () => {
    Object.assign(shop.deps.config.rateLimits, { loginPair: 3 })
    const { secret, recoveryCodes } = await switchTotpOn(shop, user)
    for (const code of recoveryCodes) expect((await login(code)).status).toBe(200)
    // Nor does the question for a code.
    for (let turn = 0; turn < 5; turn++) expect((await login()).status).toBe(401)
    for (let turn = 0; turn < 3; turn++) expect((await login(wrongCode(secret))).text).toBe(UNAUTHORIZED)
    expect((await login(codeOf(shop, secret))).status).toBe(429)
    expect((await login(codeOf(shop, secret), { address: '198.51.100.1' })).status).toBe(200)
    Object.assign(shop.deps.config.rateLimits, { loginPair: 10 })
  })

  test('bound the guesses with the right password, from everywhere', async () => {
    const { secret } = await switchTotpOn(shop, user)
    const known = (turn: number) => ({ address: `192.0.2.${turn}` })
    expect((await login(codeOf(shop, secret), known(1))).status).toBe(200)
    moveClock(shop, 2)
    for (let turn = 1; turn <= 10; turn++)
      expect((await login(wrongCode(secret), known(turn))).text, `${turn}`).toBe(UNAUTHORIZED)
    for (const address of ['192.0.2.200', '203.0.113.9', '2001:db8::1']) {
      const refused = await login(codeOf(shop, secret), { address })
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
      expect((await login(undefined, { address })).status).toBe(401)
    }
    // Who reads the mailbox need not have the phone.
    await newPasswordByMail(PASSWORD)
    expect((await login(codeOf(shop, secret), known(1))).status).toBe(429)
    const admin = await loginAs(shop, 'ADMIN')
    const { body } = await shop.call('GET', '/api/v1/admin/login-blocks', { token: admin })
    expect(body).toMatchObject([{ kind: 'CODE', email: user.email, address: null }])
    const [block] = Array.isArray(body) ? body : []
    await shop.call('DELETE', `/api/v1/admin/login-blocks/${block.id}`, { token: admin })
    expect((await login(codeOf(shop, secret), { address: '192.0.2.200' })).status).toBe(200)
    const { db } = shop.deps
    expect(await db.selectFrom('rate_limits').selectAll().where('key', 'like', 'login:code%').execute()).toMatchObject([
      { count: 0 },
    ])
  })

  test('hold for simultaneous guesses', async () => {
    const { secret } = await switchTotpOn(shop, user)
    const code = wrongCode(secret)
    const guesses = Array.from({ length: 40 }, (_, turn) => login(code, { address: `198.51.${turn}.1` }))
    const all = statusesOf(await Promise.all(guesses))
    expect(all.filter((status) => status === 401)).toHaveLength(10)
    expect(all.filter((status) => status === 429)).toHaveLength(30)
  })
})

test('a new password by mail leaves the second factor on', async () => {
  const { secret } = await switchTotpOn(shop, user)
  await newPasswordByMail('another password')
  const refused = await login(undefined, { password: 'another password' })
  expect(refused).toMatchObject({ status: 401, body: { code: 'TOTP_REQUIRED' } })
  expect((await login(codeOf(shop, secret), { password: 'another password' })).status).toBe(200)
})

describe('switching off', () => {
  test('takes password and code', async () => {
    const { secret, recoveryCodes } = await switchTotpOn(shop, user)
    const off = (password: string, code: string) => call('DELETE', 'totp', { password, code })
    const refusals = [
      ['wrong', codeOf(shop, secret), 'password'],
      [PASSWORD, wrongCode(secret), 'code'],
      [PASSWORD, '', 'code'],
    ] as const
    for (const [password, code, path] of refusals)
      expect(await off(password, code)).toMatchObject({ status: 400, body: { details: [{ path }] } })
    expect(
      await shop.deps.db.selectFrom('rate_limits').select('count').where('key', 'like', 'login:pair%').execute(),
    ).toEqual([{ count: 3 }])
    expect((await call('DELETE', 'totp', { password: PASSWORD })).status).toBe(400)
    expect((await off(PASSWORD, codeOf(shop, secret))).status).toBe(204)
    expect((await login()).status).toBe(200)
    expect((await call('GET', 'profile')).body).toMatchObject({ totp: false })
    expect(await off(PASSWORD, codeOf(shop, secret))).toMatchObject({ status: 409, body: { code: 'TOTP_OFF' } })

    const again = await switchTotpOn(shop, user)
    expect((await login(recoveryCodes[0])).status).toBe(401)
    expect((await off(PASSWORD, again.recoveryCodes[0] ?? '')).status).toBe(204)
  })

  test('is limited like a login', async () => {
    const { secret } = await switchTotpOn(shop, user)
    const body = { password: PASSWORD, code: wrongCode(secret) }
    for (let turn = 0; turn < 10; turn++) expect((await call('DELETE', 'totp', body)).status).toBe(400)
    const right = { password: PASSWORD, code: codeOf(shop, secret) }
    expect((await call('DELETE', 'totp', right)).status).toBe(429)
    expect((await login(codeOf(shop, secret), { address: '198.51.100.1' })).status).toBe(429)
  })
})
