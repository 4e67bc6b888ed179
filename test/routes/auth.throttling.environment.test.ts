import { afterEach, expect, test } from 'vitest'
import { createUser, PASSWORD } from '../support/accounts.ts'
import { ageLimits, login, matchQuickly, statusesOf } from '../support/logins.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const open: TestShop[] = []

afterEach(async () => {
  for (let shop = open.pop(); shop !== undefined; shop = open.pop()) await shop.close()
})

/** Starts a shop with limits of its own. The client's address is what the test says it is. */
async function start(environment: Record<string, string>, databaseUrl?: string): Promise<TestShop> {
  const shop = await startTestShop(
    { TRUST_PROXY: 'true', ...environment },
    databaseUrl === undefined ? {} : { databaseUrl },
  )
  shop.deps.passwords.match = matchQuickly
  open.push(shop)
  return shop
}

const register = (shop: TestShop, body: unknown, address: string) =>
  shop.call('POST', '/api/v1/auth/register', { body, headers: { 'x-forwarded-for': address } })

test('proxies that write ports do not make all clients one', async () => {
  const shop = await start({ RATE_LIMIT_LOGIN_ADDRESS: '1', TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' })
  const tries = ['203.0.113.7:51234', '203.0.113.7:51235', '203.0.113.8:1', '[2001:db8::1]:443, 10.0.0.1:80']
  const answers = []
  for (const address of tries) answers.push(await login(shop, 'nobody@example.test', 'wrong', address))
  expect(statusesOf(answers)).toEqual([401, 429, 401, 401])
  const keys = await shop.deps.db.selectFrom('rate_limits').select('key').execute()
  expect(keys.map(({ key }) => key)).toContain('login:address:2001:db8::/64')
})

test('several instances count together', async () => {
  const first = await start({ RATE_LIMIT_LOGIN_PAIR: '4' })
  const second = await start({ RATE_LIMIT_LOGIN_PAIR: '4' }, first.deps.config.databaseUrl)
  const { email } = await createUser(first, 'USER')
  const answers = await Promise.all(
    [first, second, first, second, first, second].map((shop) => login(shop, email, 'wrong')),
  )
  expect(statusesOf(answers).sort()).toEqual([401, 401, 401, 401, 429, 429])
})

test('0 switches a limit off', async () => {
  const shop = await start({
    RATE_LIMIT_LOGIN_PAIR: '0',
    RATE_LIMIT_LOGIN_ADDRESS: '0',
    RATE_LIMIT_LOGIN_EMAIL: '0',
    RATE_LIMIT_REGISTER: '0',
  })
  const { email } = await createUser(shop, 'USER')
  for (let turn = 0; turn < 12; turn++) expect((await login(shop, email, 'wrong')).status).toBe(401)
  for (let turn = 0; turn < 22; turn++) expect((await register(shop, {}, '192.0.2.1')).status).toBe(400)
  expect(await shop.deps.db.selectFrom('rate_limits').selectAll().execute()).toEqual([])
})

test('registrations are limited by address, whatever came of them, also when sent all at once', async () => {
  const shop = await start({ RATE_LIMIT_REGISTER: '4' })
  const body = { name: 'Bo', email: 'bo@example.test', password: PASSWORD }
  const answers = await Promise.all([body, {}, body, {}, body, body].map((each) => register(shop, each, '192.0.2.1')))
  expect(statusesOf(answers).filter((status) => status === 429)).toHaveLength(2)
  const refused = await register(shop, body, '192.0.2.1')
  expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', requestId: expect.any(String) })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect((await register(shop, {}, '192.0.2.2')).status).toBe(400)
  await ageLimits(shop, 3_600_000)
  expect((await register(shop, {}, '192.0.2.1')).status).toBe(400)
  // An IPv6 network is one address.
  const network = []
  for (let turn = 1; turn <= 5; turn++) network.push(await register(shop, {}, `2001:db8::${turn}`))
  expect(statusesOf(network)).toEqual([400, 400, 400, 400, 429])
  expect((await register(shop, {}, '2001:db8:0:1::1')).status).toBe(400)
})
