import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { UserRow } from '../../db/tables/users.ts'
import { createApiKey } from '../../src/services/accounts/api-keys.ts'
import { updateUser as editUser } from '../../src/services/accounts/users.ts'
import { updateSettings } from '../../src/services/settings/settings.ts'
import { createUser, loginAs, PASSWORD } from '../support/accounts.ts'
import { createTestDatabase } from '../support/database.ts'
import { openEvents } from '../support/events.ts'
import { createProduct } from '../support/factories.ts'
import { sentMails } from '../support/mails.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'
import { codeOf, switchTotpOn } from '../support/totp.ts'

let database: { url: string; drop(): Promise<void> }
let shop: TestShop
let other: TestShop
let root: UserRow

beforeAll(async () => {
  database = await createTestDatabase()
  shop = await startTestShop({}, { databaseUrl: database.url })
  other = await startTestShop({}, { databaseUrl: database.url })
  root = await createUser(shop, 'SUPER_ADMIN')
})
beforeEach(() => demand(false))
afterAll(async () => {
  await other.close()
  await shop.close()
  await database.drop()
})

async function demand(isOn: boolean): Promise<void> {
  await updateSettings(shop.deps, root, { staff_totp_required: String(isOn) })
}
const SETUP_REQUIRED = { status: 403, body: { error: 'Forbidden', code: 'TOTP_SETUP_REQUIRED' } }
const profile = (token: string, at = shop) => at.call('GET', '/api/v1/auth/profile', { token })
const users = (token: string, at = shop) => at.call('GET', '/api/v1/admin/users', { token })

describe('while a second factor is required of staff', () => {
  test('a token without one opens nothing but the endpoints of the account', async () => {
    await demand(true)
    const token = shop.app.signToken(root)
    const routes = shop.app.declaredRoutes.flatMap(({ method, url, config }) =>
      [method].flat().map((one) => ({ method: one, url, access: config?.access })),
    )
    const closed = routes.filter(({ url, access }) => access !== 'public' && !url.startsWith('/api/v1/auth/'))
    expect(closed.length).toBeGreaterThan(100)
    for (const { method, url } of closed) {
      const answer = await shop.call(method, url.replace(/:\w+/g, '999999'), { token })
      expect(answer.status, `${method} ${url}`).toBe(403)
      if (method !== 'HEAD') expect(answer, `${method} ${url}`).toMatchObject(SETUP_REQUIRED)
    }
    expect((await shop.call('GET', '/api/v1/nothing', { token })).status).toBe(404)

    const own = ['GET /profile', 'POST /refresh', 'PUT /change-password', 'POST /totp']
    for (const [method = '', path] of own.map((line) => line.split(' ')))
      expect((await shop.call(method, `/api/v1/auth${path}`, { token })).status, path).not.toBe(403)
    expect((await profile(token)).body).toMatchObject({ role: 'SUPER_ADMIN', totp: false })
  })

  test('public endpoints treat it as a customer, agents too', async () => {
    const { db } = shop.deps
    const hidden = await createProduct(db, { activeOverride: false })
    const token = await loginAs(shop, 'ADMIN')
    const card = () => shop.call('GET', `/api/v1/products/${hidden}`, { token })
    const tools = async () =>
      (await shop.call('POST', '/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })).text
    expect((await card()).status).toBe(200)
    expect(await tools()).toContain('list_orders')
    await demand(true)
    expect((await card()).status).toBe(404)
    expect(await tools()).toContain('search_products')
    expect(await tools()).not.toContain('list_orders')
  })

  test('live events refuse it, and end where it was in use', async () => {
    const token = await loginAs(shop, 'MANAGER')
    const customer = await loginAs(shop, 'USER')
    const [here, there, bystander] = [
      await openEvents(shop.url),
      await openEvents(other.url),
      await openEvents(other.url),
    ]
    for (const live of [here, there]) await live.subscribe(['orders'], token)
    await bystander.subscribe(['my-orders'], customer)
    await demand(true)
    expect(await here.closed).toBe(4401)
    expect(await there.closed).toBe(4401)
    const again = await openEvents(other.url)
    expect(await again.ask({ type: 'authenticate', token })).toMatchObject({ code: 'TOTP_SETUP_REQUIRED' })
    await again.subscribe(['products'])
    expect(await bystander.ask({ type: 'subscribe', topics: ['products'] })).toMatchObject({ type: 'subscribed' })
    for (const live of [again, bystander]) live.socket.close()
  })

  test('it holds on every instance at once, and no longer than it is set', async () => {
    const token = await loginAs(shop, 'ADMIN')
    expect((await users(token, other)).status).toBe(200)
    await demand(true)
    expect(await users(token)).toMatchObject(SETUP_REQUIRED)
    await expect.poll(async () => (await users(token, other)).status, SOON).toBe(403)
    await demand(false)
    expect((await users(token)).status).toBe(200)
    await expect.poll(async () => (await users(token, other)).status, SOON).toBe(200)
  })

  test('a confirmed second factor opens everything to the same token, until it is switched off', async () => {
    await demand(true)
    const user = await createUser(shop, 'ADMIN')
    const token = shop.app.signToken(user)
    const post = (path: string, body?: object) => shop.call('POST', `/api/v1/auth/${path}`, { token, body })
    const { secret, recoveryCodes } = Object((await post('totp')).body)
    expect(await users(token)).toMatchObject(SETUP_REQUIRED)
    expect((await post('totp/confirm', { code: codeOf(shop, secret) })).status).toBe(200)
    expect((await users(token)).status).toBe(200)
    expect((await users(token, other)).status).toBe(200)
    const body = { password: PASSWORD, code: recoveryCodes[0] }
    expect((await shop.call('DELETE', '/api/v1/auth/totp', { token, body })).status).toBe(204)
    expect(await users(token)).toMatchObject(SETUP_REQUIRED)
  })

  test('customers and API keys are not affected; who becomes staff is, at once', async () => {
    await demand(true)
    const user = await createUser(shop, 'USER')
    const token = shop.app.signToken(user)
    const reviews = () => shop.call('GET', '/api/v1/reviews', { token })
    expect((await shop.call('GET', '/api/v1/orders/my', { token })).status).toBe(200)
    const { key } = await createApiKey(shop.deps, root, { name: 'Robot', role: 'ADMIN' })
    expect((await users(key)).status).toBe(200)
    expect((await users(key, other)).status).toBe(200)

    const live = await openEvents(other.url)
    await live.subscribe(['my-orders'], token)
    const { name, email } = user
    await editUser(shop.deps, root, { id: user.id, ifMatch: undefined }, { name, email, role: 'EDITOR' })
    expect(await live.closed).toBe(4401)
    expect(await reviews()).toMatchObject(SETUP_REQUIRED)
    await switchTotpOn(shop, { ...user, role: 'EDITOR' })
    expect((await reviews()).status).toBe(200)
    await editUser(shop.deps, root, { id: user.id, ifMatch: undefined }, { name, email, role: 'USER' })
    expect(await reviews()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
  })
})

describe('a reset by a SUPER_ADMIN', () => {
  const reset = (token: string, id: number, headers = {}) =>
    shop.call('DELETE', `/api/v1/admin/users/${id}/totp`, { token, headers })

  test('switches the second factor off, ends the sessions, is audited and mailed', async () => {
    const { user } = await switchTotpOn(shop, await createUser(shop, 'ADMIN'))
    const token = shop.app.signToken(user)
    const live = await openEvents(other.url)
    await live.subscribe(['orders'], token)
    const superAdmin = shop.app.signToken(root)
    expect((await reset(superAdmin, user.id, { 'if-match': '"1"' })).status).toBe(412)
    expect((await reset(superAdmin, user.id)).status).toBe(204)
    expect((await profile(token)).status).toBe(401)
    expect(await live.closed).toBe(4401)
    const login = { email: user.email, password: PASSWORD }
    expect((await shop.call('POST', '/api/v1/auth/login', { body: login })).status).toBe(200)
    const audit = await shop.call('GET', `/api/v1/admin/audit?entity=USER&entityId=${user.id}`, { token: superAdmin })
    expect(audit.body).toMatchObject({
      content: [{ action: 'UPDATE', actorEmail: root.email, before: { totp: true }, after: { totp: false } }],
    })
    const [mail, ...others] = await sentMails(shop)
    expect(mail).toMatchObject({ to: user.email, subject: 'Shop: код для входа отключён' })
    expect(others).toEqual([])
    expect(await reset(superAdmin, user.id)).toMatchObject({ status: 409, body: { code: 'TOTP_OFF' } })
    expect(await shop.deps.db.selectFrom('totp_secrets').where('user_id', '=', user.id).selectAll().execute()).toEqual(
      [],
    )
  })

  test('is for others alone, and for nobody below', async () => {
    const self = await switchTotpOn(shop, await createUser(shop, 'SUPER_ADMIN'))
    const token = shop.app.signToken(self.user)
    expect(await reset(token, self.user.id)).toMatchObject({ status: 409, body: { code: 'OWN_ACCOUNT' } })
    expect(await reset(await loginAs(shop, 'ADMIN'), self.user.id)).toMatchObject({ status: 403 })
    expect((await reset(token, 999_999)).status).toBe(404)
    const { totp_enabled } = await shop.deps.db
      .selectFrom('users')
      .select('totp_enabled')
      .where('id', '=', self.user.id)
      .executeTakeFirstOrThrow()
    expect(totp_enabled).toBe(true)
  })
})
