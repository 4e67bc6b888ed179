import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '../../src/rules/accounts/roles.ts'
import { createApiKey } from '../../src/services/accounts/api-keys.ts'
import { logOutEverywhere } from '../../src/services/accounts/logins.ts'
import { purge } from '../../src/services/operations/jobs.ts'
import { updateSettings } from '../../src/services/settings/settings.ts'
import { createUser, PASSWORD } from '../support/accounts.ts'
import { openEvents } from '../support/events.ts'
import { matchQuickly } from '../support/logins.ts'
import { sentMails } from '../support/mails.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { codeOf, switchTotpOn } from '../support/totp.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0'
let shop: TestShop
/** What goes on after responses. */
const background: Promise<unknown>[] = []

beforeAll(async () => {
  shop = await startTestShop({ TRUST_PROXY: 'true' })
  shop.deps.passwords.match = matchQuickly
  const { tasks } = shop.deps
  const { run } = tasks
  tasks.run = (work, graceMs) => {
    const result = run(work, graceMs)
    background.push(result)
    return result
  }
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('rate_limits').execute()
})
afterAll(() => shop.close())

type Attempt = { password?: string; code?: string; address?: string; userAgent?: string }

async function login(email: string, { address = '192.0.2.1', userAgent = FIREFOX, ...attempt }: Attempt = {}) {
  const answer = await shop.call('POST', '/api/v1/auth/login', {
    body: { email, password: PASSWORD, ...attempt },
    headers: { 'x-forwarded-for': address, 'user-agent': userAgent },
  })
  await Promise.all(background)
  return answer
}
const listed = async (token: string) => (await shop.call('GET', '/api/v1/auth/logins', { token })).body
const outcomes = async (token: string) => {
  const body = await listed(token)
  return Array.isArray(body) ? body.map(({ outcome }) => outcome) : body
}

describe('the last logins', () => {
  test('show time, network, client and outcome, those that failed included', async () => {
    const user = await createUser(shop, 'USER')
    const token = shop.app.signToken(user)
    expect(await listed(token)).toEqual([])
    await login(user.email)
    await login(user.email, { password: 'wrong', address: '2001:db8:1:2::3', userAgent: 'curl/8.5.0' })
    await login(user.email, { address: '198.51.100.7', userAgent: `?${'x'.repeat(5000)}` })
    await login('nobody@example.test', { password: 'wrong' })
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(await listed(token)).toEqual([
      { time, network: '198.51.100.0/24', client: null, outcome: 'SUCCEEDED' },
      { time, network: '2001:db8:1::/48', client: 'curl', outcome: 'WRONG_PASSWORD' },
      { time, network: '192.0.2.0/24', client: 'Firefox, Windows', outcome: 'SUCCEEDED' },
    ])
    expect(await listed(shop.app.signToken(await createUser(shop, 'ADMIN')))).toEqual([])
  })

  test('show a right password without a code, unless the code followed', async () => {
    const { user, secret } = await switchTotpOn(shop, await createUser(shop, 'ADMIN'))
    const token = shop.app.signToken(user)
    await login(user.email, { address: '203.0.113.9' })
    await login(user.email)
    await login(user.email, { code: '12345' })
    expect(await outcomes(token)).toEqual(['WRONG_CODE', 'CODE_REQUIRED', 'CODE_REQUIRED'])
    expect((await login(user.email, { code: codeOf(shop, secret) })).status).toBe(200)
    expect(await outcomes(token)).toEqual(['SUCCEEDED', 'WRONG_CODE', 'CODE_REQUIRED'])
    expect(await listed(token)).toMatchObject([{}, {}, { network: '203.0.113.0/24' }])
  })

  test('are ten, and no more are kept', async () => {
    const user = await createUser(shop, 'USER')
    const other = await createUser(shop, 'USER')
    await login(other.email)
    for (let turn = 0; turn < 9; turn++) await login(user.email, { password: 'wrong' })
    for (let turn = 0; turn < 4; turn++) await login(user.email)
    const expected = [...Array(4).fill('SUCCEEDED'), ...Array(6).fill('WRONG_PASSWORD')]
    expect(await outcomes(shop.app.signToken(user))).toEqual(expected)
    const kept = await shop.deps.db.selectFrom('logins').select('user_id').where('user_id', '=', user.id).execute()
    expect(kept).toHaveLength(10)
    expect(await outcomes(shop.app.signToken(other))).toEqual(['SUCCEEDED'])
  })
})

describe('logging out everywhere', () => {
  test('ends every session of the account, and no others', async () => {
    const user = await createUser(shop, 'SUPER_ADMIN')
    const bystander = shop.app.signToken(await createUser(shop, 'USER'))
    const tokens = [shop.app.signToken(user), shop.app.signToken(user)]
    const { key } = await createApiKey(shop.deps, user, { name: 'Robot', role: 'ADMIN' })
    const live = await openEvents(shop.url)
    await live.subscribe(['my-orders'], tokens[1])
    const logOut = (token: string | undefined) => shop.call('POST', '/api/v1/auth/logout-everywhere', { token })
    expect((await logOut(key)).status).toBe(403)
    expect((await logOut(tokens[0])).status).toBe(204)
    expect(await live.closed).toBe(4401)
    const profile = async (token: string) => (await shop.call('GET', '/api/v1/auth/profile', { token })).status
    for (const token of tokens) expect(await profile(token)).toBe(401)
    expect(await profile(bystander)).toBe(200)
    expect((await logOut(tokens[0])).status).toBe(401)
    expect((await shop.call('GET', '/api/v1/admin/users', { token: key })).status).toBe(200)
    expect((await login(user.email)).status).toBe(200)
  })

  test('twice at once is no conflict', async () => {
    const user = await createUser(shop, 'USER')
    await Promise.all([logOutEverywhere(shop.deps, user), logOutEverywhere(shop.deps, user)])
    expect((await login(user.email)).status).toBe(200)
  })
})

describe('a login from a new network', () => {
  const mailsTo = async (email: string) => (await sentMails(shop)).filter(({ to }) => to === email)
  const person = async (role: Role) => {
    const { email, id } = await createUser(shop, role)
    return { email, id, from: (address: string) => login(email, { address }) }
  }

  test('is mailed to staff, but not the first login of an account', async () => {
    const { email, from } = await person('EDITOR')
    for (const address of ['192.0.2.1', '192.0.2.200']) await from(address)
    expect(await mailsTo(email)).toEqual([])
    for (const address of ['198.51.100.1', '198.51.100.2', '2001:db8:1:2::3', '2001:db8:1:ffff::3']) await from(address)
    await login(email, { address: '203.0.113.1', password: 'wrong' })
    const mails = await mailsTo(email)
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('Shop: вход из новой сети'))
    expect(mails[0]?.body).toMatch(/198\.51\.100\.0\/24, Firefox, Windows/)
    expect(mails[1]?.body).toContain('2001:db8:1::/48')
  })

  test('is not mailed to customers, nor to API keys', async () => {
    const { email, from } = await person('USER')
    for (const address of ['192.0.2.1', '198.51.100.1']) await from(address)
    expect(await mailsTo(email)).toEqual([])
  })

  test('is mailed once when two come at the same time, in the language of mails', async () => {
    const root = await createUser(shop, 'SUPER_ADMIN')
    await updateSettings(shop.deps, root, { mail_language: 'en' })
    const { email, from } = await person('ADMIN')
    await from('192.0.2.1')
    await Promise.all([1, 2, 3].map((last) => from(`198.51.100.${last}`)))
    const mails = await mailsTo(email)
    expect(mails.map(({ subject }) => subject)).toEqual(['Shop: login from a new network'])
    await updateSettings(shop.deps, root, { mail_language: 'ru' })
  })

  test('counts as new after 90 days without one, also if that was the last network', async () => {
    const { email, id, from } = await person('MANAGER')
    const { db } = shop.deps
    const age = (days: number) =>
      sql`update login_networks set last_login_at = now() - ${days} * interval '1 day' where user_id = ${id}`.execute(
        db,
      )
    await from('192.0.2.1')
    await age(89)
    await purge(shop.deps)
    await from('192.0.2.1')
    expect(await mailsTo(email)).toEqual([])
    await from('198.51.100.1')
    expect(await mailsTo(email)).toHaveLength(1)
    await age(91)
    await purge(shop.deps)
    const kept = await db.selectFrom('login_networks').select('network').where('user_id', '=', id).execute()
    expect(kept).toHaveLength(1)
    await from('192.0.2.1')
    expect(await mailsTo(email)).toHaveLength(1)
  })

  test('leaves no mail without the login', async () => {
    const { user, secret } = await switchTotpOn(shop, await createUser(shop, 'ADMIN'))
    await login(user.email, { code: codeOf(shop, secret) })
    for (const code of [undefined, '12345', codeOf(shop, secret)])
      await login(user.email, { address: '198.51.100.1', ...(code !== undefined && { code }) })
    expect(await mailsTo(user.email)).toEqual([])
  })
})
