import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readCounters } from '../../db/queries/accounts/rate-limits.ts'
import type { Config } from '../../src/config.ts'
import { purge } from '../../src/services/operations/jobs.ts'
import { createUser, PASSWORD } from '../support/accounts.ts'
import { ageLimits, login, matchQuickly, statusesOf } from '../support/logins.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

/** The common shop with these limits for logins and no counted attempts. */
async function limited(limits: Partial<Config['rateLimits']>): Promise<TestShop> {
  Object.assign(common.deps.config.rateLimits, usual, limits)
  await common.deps.db.deleteFrom('rate_limits').execute()
  await common.deps.db.deleteFrom('login_networks').execute()
  return common
}

let common: TestShop
let usual: Config['rateLimits']
beforeAll(async () => {
  common = await startTestShop({ TRUST_PROXY: 'true' })
  common.deps.passwords.match = matchQuickly
  usual = { ...common.deps.config.rateLimits }
})
afterAll(() => common.close())

afterEach(() => vi.restoreAllMocks())

test('wrong passwords for an email from an address are limited; the owner elsewhere is not', async () => {
  const shop = await limited({ loginPair: 3 })
  const { email } = await createUser(shop, 'USER')
  for (let turn = 0; turn < 3; turn++) expect((await login(shop, email, 'wrong')).status).toBe(401)

  const refused = await login(shop, email, PASSWORD)
  expect(refused.status).toBe(429)
  expect(refused.body).toMatchObject({ error: 'Too Many Requests', code: 'RATE_LIMITED' })
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(800)
  expect(seconds).toBeLessThanOrEqual(900)

  expect((await login(shop, ` ${email.toUpperCase()}`, 'wrong')).status).toBe(429)
  expect((await login(shop, email, PASSWORD, '192.0.2.2')).status).toBe(200)
  const other = await createUser(shop, 'USER')
  expect((await login(shop, other.email, PASSWORD)).status).toBe(200)
})

test('computes no hash for refused attempts', async () => {
  const shop = await limited({ loginPair: 1 })
  const { email } = await createUser(shop, 'USER')
  const compare = vi.spyOn(shop.deps.passwords, 'match')
  await login(shop, email, 'wrong')
  await login(shop, 'nobody@example.test', 'wrong')
  expect(compare).toHaveBeenCalledTimes(2)
  await login(shop, email, 'wrong')
  await login(shop, 'nobody@example.test', 'wrong')
  expect(compare).toHaveBeenCalledTimes(2)
})

test('limits an address or IPv6 network over all emails', async () => {
  const shop = await limited({ loginAddress: 3 })
  const { email } = await createUser(shop, 'USER')
  for (let turn = 1; turn <= 3; turn++) {
    expect((await login(shop, `nobody-${turn}@example.test`, 'wrong', `2001:db8::${turn}`)).status).toBe(401)
  }
  expect((await login(shop, email, PASSWORD, '2001:db8::4')).status).toBe(429)
  expect((await login(shop, email, PASSWORD, '2001:db8:0:1::4')).status).toBe(200)
})

test('limits an email over all addresses', async () => {
  const shop = await limited({ loginEmail: 3 })
  const { email } = await createUser(shop, 'USER')
  for (let turn = 1; turn <= 3; turn++) {
    expect((await login(shop, email, 'wrong', `192.0.2.${turn}`)).status).toBe(401)
  }
  expect((await login(shop, email, PASSWORD, '192.0.2.4')).status).toBe(429)
})

test('neither counts nor resets on a correct login', async () => {
  const shop = await limited({ loginPair: 2 })
  const { email } = await createUser(shop, 'USER')
  for (let turn = 0; turn < 3; turn++) expect((await login(shop, email, PASSWORD)).status).toBe(200)
  expect((await login(shop, email, 'wrong')).status).toBe(401)
  expect((await login(shop, email, PASSWORD)).status).toBe(200)
  expect((await login(shop, email, 'wrong')).status).toBe(401)
  expect((await login(shop, email, PASSWORD)).status).toBe(429)
})

test('restarts the count after 15 minutes', async () => {
  const shop = await limited({ loginPair: 2 })
  const { email } = await createUser(shop, 'USER')
  const wrong = () => login(shop, email, 'wrong')
  expect(statusesOf([await wrong(), await wrong(), await wrong()])).toEqual([401, 401, 429])
  await ageLimits(shop, 14 * 60_000)
  expect((await wrong()).status).toBe(429)
  await ageLimits(shop, 60_000)
  expect(statusesOf([await wrong(), await wrong(), await wrong()])).toEqual([401, 401, 429])
})

test('measures the 15 minutes from the first wrong password', async () => {
  const shop = await limited({ loginPair: 3 })
  const { email } = await createUser(shop, 'USER')
  const wrong = () => login(shop, email, 'wrong')
  expect((await wrong()).status).toBe(401)
  await ageLimits(shop, 8 * 60_000)
  expect((await wrong()).status).toBe(401)
  await ageLimits(shop, 7 * 60_000)
  expect(statusesOf([await wrong(), await wrong(), await wrong(), await wrong()])).toEqual([401, 401, 401, 429])
})

test('limits concurrent attempts too', async () => {
  const shop = await limited({ loginPair: 5 })
  const { email } = await createUser(shop, 'USER')
  const answers = await Promise.all(Array.from({ length: 20 }, (_, turn) => login(shop, email, `wrong ${turn}`)))
  const all = statusesOf(answers)
  expect(all.filter((status) => status === 401)).toHaveLength(5)
  expect(all.filter((status) => status === 429)).toHaveLength(15)
})

test('refuses a right password that was being checked when another failure reached the limit', async () => {
  const shop = await limited({ loginPair: 1 })
  const { email } = await createUser(shop, 'USER')
  const checking = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<void>()
  vi.spyOn(shop.deps.passwords, 'match').mockImplementation(async (password) => {
    if (password !== PASSWORD) return false
    checking.resolve()
    await failed.promise
    return true
  })
  const right = login(shop, email, PASSWORD)
  await checking.promise
  expect((await login(shop, email, 'wrong')).status).toBe(401)
  failed.resolve()
  expect((await right).status).toBe(429)
})

test('sixty correct logins at once from one address, more than any limit, all succeed', async () => {
  const shop = await limited({ loginEmail: 50 })
  const { email } = await createUser(shop, 'USER')
  const answers = await Promise.all(Array.from({ length: 60 }, () => login(shop, email, PASSWORD)))
  expect(new Set(statusesOf(answers))).toEqual(new Set([200]))
})

test('does not delay other addresses during a burst of one', async () => {
  const shop = await limited({
    loginPair: 0,
    loginAddress: 0,
    loginEmail: 0,
  })
  const { email } = await createUser(shop, 'USER')
  const gates: (() => void)[] = []
  vi.spyOn(shop.deps.passwords, 'match').mockImplementation(async (password, hash) => {
    await new Promise<void>((resolve) => gates.push(resolve))
    return matchQuickly(password, hash)
  })
  let refused = 0
  const answers = Array.from({ length: 150 }, async () => {
    const answer = await login(shop, email, 'wrong', '192.0.2.1')
    if (answer.status === 429) refused += 1
    return answer
  })
  // The queue is full: nothing moves until a gate opens.
  const arrived = () => refused + shop.app.connections.inFlight
  await expect.poll(arrived).toBe(150)
  expect(refused).toBeGreaterThan(30)
  let isDone = false
  const other = login(shop, email, PASSWORD, '192.0.2.2').finally(() => {
    isDone = true
  })
  await expect.poll(arrived).toBe(151)
  let opened = 0
  while (!isDone) {
    gates.shift()?.()
    opened += 1
    await expect.poll(() => isDone || gates.length > 0, { interval: 5 }).toBe(true)
  }
  expect((await other).status).toBe(200)
  // Far less than the passwords that the burst has queued.
  expect(opened).toBeLessThan(60)
  const openAll = setInterval(() => gates.shift()?.(), 1)
  const all = await Promise.all(answers)
  clearInterval(openAll)
  const late = all.filter(({ status }) => status === 429)
  expect(Number(late[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(statusesOf(all).filter((status) => status === 401).length + late.length).toBe(150)
})

test('lets nobody lock an account out of its usual networks', async () => {
  const shop = await limited({ loginEmail: 3 })
  const { email } = await createUser(shop, 'ADMIN')
  expect((await login(shop, email, PASSWORD, '192.0.2.10')).status).toBe(200)
  expect((await login(shop, email, PASSWORD, '2001:db8:1:2::1')).status).toBe(200)
  for (let turn = 1; turn <= 4; turn++) await login(shop, email, 'wrong', `198.51.100.${turn}`)
  expect((await login(shop, email, PASSWORD, '203.0.113.1')).status).toBe(429)
  expect((await login(shop, email, PASSWORD, '192.0.2.99')).status).toBe(200)
  expect((await login(shop, email, PASSWORD, '2001:db8:1:ffff::2')).status).toBe(200)
  const nobody = await createUser(shop, 'ADMIN')
  for (let turn = 1; turn <= 4; turn++) await login(shop, nobody.email, 'wrong', `198.51.100.${turn}`)
  expect((await login(shop, nobody.email, PASSWORD, '192.0.2.99')).status).toBe(429)

  await sql`update login_networks set last_login_at = now() - interval '31 days'`.execute(shop.deps.db)
  expect((await login(shop, email, PASSWORD, '192.0.2.99')).status).toBe(429)
})

test('logs a failed login with the address but not the email', async () => {
  const shop = await limited({ loginPair: 1 })
  const logged = vi.spyOn(shop.deps.log, 'info')
  await login(shop, 'nobody@example.test', 'wrong', '192.0.2.1')
  await login(shop, 'nobody@example.test', 'wrong', '192.0.2.1')
  const failed = { address: '192.0.2.1', email: expect.stringMatching(/^[0-9a-f]{16}$/) }
  expect(logged.mock.calls).toEqual([[failed, 'login failed']])
})

test('guessing the current password is limited together with logging in', async () => {
  const shop = await limited({ loginPair: 2 })
  const user = await createUser(shop, 'USER')
  const token = shop.app.signToken(user)
  const change = (currentPassword: string) =>
    shop.call('PUT', '/api/v1/auth/change-password', {
      token,
      body: { currentPassword, newPassword: 'another password' },
      headers: { 'x-forwarded-for': '192.0.2.1' },
    })
  expect((await login(shop, user.email, 'wrong')).status).toBe(401)
  expect((await change('wrong')).status).toBe(400)
  expect((await change(PASSWORD)).status).toBe(429)
  expect((await login(shop, user.email, PASSWORD, '192.0.2.2')).status).toBe(200)
})

test('counts invalid addresses of any length', async () => {
  const shop = await limited({ loginAddress: 2 })
  for (const address of ['nonsense', 'x'.repeat(8000)]) {
    expect((await login(shop, 'nobody@example.test', 'wrong', address)).status).toBe(401)
  }
  expect((await login(shop, 'nobody@example.test', 'wrong', "'; drop table users")).status).toBe(429)
})

test('stores no plain email, and purges only expired counters', async () => {
  const shop = await limited({})
  await login(shop, 'old@example.test', 'wrong', '192.0.2.1')
  await ageLimits(shop, 15 * 60_000)
  await login(shop, 'new@example.test', 'wrong', '192.0.2.2')
  const keys = async () => (await shop.deps.db.selectFrom('rate_limits').select('key').execute()).map(({ key }) => key)
  const before = await keys()
  expect(before).toHaveLength(6)
  expect(before.join()).not.toContain('@')
  expect(await readCounters(shop.deps.db, before)).toHaveLength(3)
  await purge(shop.deps)
  const after = await keys()
  expect(after).toHaveLength(3)
  expect(after).toContain('login:address:192.0.2.2')
})
