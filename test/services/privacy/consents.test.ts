import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { emptyTables } from '../../support/database.ts'
import { createProduct } from '../../support/factories.ts'
import { sendOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ TRUST_PROXY: 'loopback', RATE_LIMIT_REGISTER: '0', RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
  await setSetting(shop, admin, 'contact_limit_per_phone', '0')
  productId = await createProduct(shop.deps.db, { stock: 1000 })
})
afterAll(() => shop.close())

beforeEach(async () => {
  await emptyTables(shop.deps.db, 'consents, orders, contact_requests, rate_limits')
  await shop.deps.db.deleteFrom('users').where('role', '=', 'USER').execute()
  await configure({ required: 'false', version: '' })
})

async function configure({ required, version }: { required: string; version: string }): Promise<void> {
  await setSetting(shop, admin, 'consent_required', required)
  await setSetting(shop, admin, 'privacy_policy_version', version)
}

const headers = { 'x-forwarded-for': '203.0.113.77' }

/** The three forms, each with what its consent is stored with. */
const forms = [
  {
    kind: 'REGISTRATION',
    send: (consent: object, language = 'en') =>
      shop.call('POST', '/api/v1/auth/register', {
        headers: { ...headers, 'accept-language': language },
        body: { name: 'Анна', email: 'Anna@example.test', password: 'long enough', ...consent },
      }),
    stored: { email: 'anna@example.test', phone: null },
  },
  {
    kind: 'ORDER',
    send: (consent: object, language = 'en') =>
      shop.call('POST', '/api/v1/orders', {
        headers: { ...headers, 'accept-language': language },
        body: {
          customerName: 'Анна',
          customerPhone: '8 900 123-45-67',
          customerEmail: 'Anna@example.test',
          items: [{ productId, quantity: 1 }],
          ...consent,
        },
      }),
    stored: { email: 'Anna@example.test', phone: '8 900 123-45-67' },
  },
  {
    kind: 'CONTACT',
    send: (consent: object, language = 'en') =>
      shop.call('POST', '/api/v1/contacts', {
        headers: { ...headers, 'accept-language': language },
        body: { name: 'Анна', phone: '900 123-45-67', message: 'Есть ли дрели?', ...consent },
      }),
    stored: { email: null, phone: '900 123-45-67' },
  },
] as const

const consents = () => shop.deps.db.selectFrom('consents').selectAll().execute()

test.each(forms)(
  '$kind: without the setting a consent is optional, and stored if the policy has a version',
  async ({ kind, send, stored }) => {
    expect((await send({})).status).toBe(201)
    await shop.deps.db.deleteFrom('users').where('role', '=', 'USER').execute()
    expect((await send({ consent: true })).status).toBe(201)
    expect(await consents()).toEqual([])

    await configure({ required: 'false', version: '2026-11' })
    await shop.deps.db.deleteFrom('users').where('role', '=', 'USER').execute()
    expect((await send({ consent: false })).status).toBe(201)
    expect(await consents()).toEqual([])
    await shop.deps.db.deleteFrom('users').where('role', '=', 'USER').execute()
    expect((await send({ consent: true })).status).toBe(201)
    expect(await consents()).toEqual([
      {
        id: expect.any(Number),
        kind,
        ...stored,
        policy_version: '2026-11',
        given_at: expect.any(Date),
        network: '203.0.113.0/24',
      },
    ])
  },
)

test.each(forms)(
  '$kind: with the setting, consent: true is required, and named in both languages',
  async ({ kind, send }) => {
    await configure({ required: 'true', version: '' })
    for (const consent of [{}, { consent: false }]) {
      const english = await send(consent)
      expect([english.status, english.body]).toMatchObject([
        400,
        { code: 'VALIDATION_FAILED', details: [{ path: 'consent', message: 'Agree to the privacy policy' }] },
      ])
      const russian = await send(consent, 'ru')
      expect(russian.body).toMatchObject({
        details: [{ path: 'consent', message: 'Подтвердите согласие с политикой конфиденциальности' }],
      })
    }
    const pathsOf = ({ body }: { body: unknown }) => Object(body).details.map(({ path }: { path: string }) => path)
    expect(pathsOf(await send({ consent: 'true' }))).toEqual(['consent'])
    const mistyped = { email: 'nobody', customerEmail: 'nobody' }
    expect(pathsOf(await send(mistyped))).toEqual([kind === 'ORDER' ? 'customerEmail' : 'email', 'consent'])
    for (const table of ['orders', 'contact_requests', 'consents'] as const)
      expect(await shop.deps.db.selectFrom(table).select('id').execute()).toEqual([])
    expect((await send({ consent: true })).status).toBe(201)
    expect(await consents()).toMatchObject([{ kind, policy_version: '' }])
  },
)

test('orders that staff place need no consent, and store none', async () => {
  await configure({ required: 'true', version: '1' })
  const token = await loginAs(shop, 'MANAGER')
  const lines = [{ productId, quantity: 1 }]
  expect((await sendOrder(shop, lines, { token, fields: { consent: true } })).status).toBe(201)
  const body = { customerName: 'Анна', customerPhone: '+7 900 123-45-67', items: lines, consent: true }
  expect((await shop.call('POST', '/api/v1/admin/orders', { token, body })).status).toBe(201)
  expect(await consents()).toEqual([])
  const mistyped = await sendOrder(shop, lines, { token, fields: { customerEmail: 'nobody' } })
  expect(mistyped.body).toMatchObject({ details: [{ path: 'customerEmail' }] })
  // Those of an EDITOR are a customer's.
  expect((await sendOrder(shop, lines, { token: await loginAs(shop, 'EDITOR') })).status).toBe(400)
})

test('a repeated order stores no second consent, and a refused one stores none', async () => {
  await configure({ required: 'true', version: '1' })
  const repeated = { key: 'once', fields: { consent: true } }
  const lines = [{ productId, quantity: 1 }]
  const first = await sendOrder(shop, lines, repeated)
  expect((await sendOrder(shop, lines, repeated)).body).toEqual(first.body)
  expect((await sendOrder(shop, [{ productId: 999_999, quantity: 1 }], { fields: { consent: true } })).status).toBe(409)
  expect(await consents()).toHaveLength(1)
})

test('the storefront is told whether a consent is needed, and to which version', async () => {
  await configure({ required: 'true', version: ' 2026-11 ' })
  const { body } = await shop.call('GET', '/api/v1/config/public')
  expect(body).toMatchObject({ consent_required: 'true', privacy_policy_version: '2026-11' })
  expect((await setSetting(shop, admin, 'consent_required', 'yes')).status).toBe(400)
  expect((await setSetting(shop, admin, 'privacy_policy_version', 'x'.repeat(101))).status).toBe(400)
})
