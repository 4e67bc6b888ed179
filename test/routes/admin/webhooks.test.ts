import { sql } from 'kysely'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findWebhook } from '../../../db/queries/webhooks/webhooks.ts'
import { signingSecrets } from '../../../src/services/webhooks/secrets.ts'
import { loginAs } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { deliver, recordEvents } from '../../support/webhooks.ts'

const WEBHOOKS = '/api/v1/admin/webhooks'

let shop: TestShop
let token: string
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  shop = await startTestShop({ WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${receiver.port}` })
  token = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('webhooks').execute()
  receiver.received = []
  receiver.answer = (response) => response.writeHead(200).end('ok')
})
afterAll(async () => {
  await shop.close()
  await receiver.close()
})

const call = async (method: string, path = '', body?: object) => {
  const answer = await shop.call(method, WEBHOOKS + path, { token, ...(body && { body }) })
  return { status: answer.status, text: answer.text, body: Object(answer.body) }
}
const input = (rest: object = {}) => ({ url: receiver.url, events: ['contact.created'], ...rest })
const create = async (rest?: object) => (await call('POST', '', input(rest))).body

test('a webhook is created, listed, changed and deleted; its secret is shown once', async () => {
  const { secret, ...created } = await create({ url: ` ${receiver.url}\n`, description: ' CRM ' })
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(created).toEqual({
    id: expect.any(Number),
    url: receiver.url,
    events: ['contact.created'],
    active: true,
    description: 'CRM',
    failingSince: null,
    version: 1,
    createdAt: expect.any(String),
  })
  const path = `/${created.id}`
  expect((await call('GET')).body).toEqual([created])
  expect((await call('GET', path)).body).toEqual(created)
  const changed = { ...created, events: ['order.created'], active: false, version: 2 }
  const { events, active } = changed
  expect((await call('PUT', path, { url: ` ${receiver.url}`, events, active })).body).toEqual(changed)
  expect((await call('PUT', path, input())).body).toEqual({ ...changed, events: ['contact.created'], version: 3 })
  expect((await call('DELETE', path)).status).toBe(204)
  expect((await call('GET', path)).status).toBe(404)
  expect((await call('DELETE', path)).status).toBe(404)

  const entries = await shop.deps.db
    .selectFrom('audit_log')
    .selectAll()
    .where('entity', '=', 'WEBHOOK')
    .where('entity_id', '=', String(created.id))
    .orderBy('id')
    .execute()
  expect(entries.map(({ action }) => action)).toEqual(['CREATE', 'UPDATE', 'UPDATE', 'DELETE'])
  expect(JSON.stringify(entries)).not.toContain(secret)
})

test.each([
  ['url', 'ftp://example.com/'],
  ['url', 'example.com'],
  ['url', 'https://user:password@example.com/'],
  ['url', 'http://127.0.0.1:1/'],
  ['url', 'http://[::1]/'],
  ['url', 'http://169.254.169.254/'],
  ['events', []],
  ['events.0', ['order.deleted']],
])('refuses %s %j', async (path, value) => {
  const answer = await call('POST', '', input({ [path.split('.')[0] ?? '']: value }))
  expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path])
  expect(answer.text).not.toContain('password')
})

test('no body sets a secret', async () => {
  const { id, secret } = await create({ secret: 'whsec_AAAA' })
  await call('PUT', `/${id}`, input({ secret: 'whsec_AAAA' }))
  expect(secret).not.toBe('whsec_AAAA')
  const row = await findWebhook(shop.deps.db, id)
  expect(row && signingSecrets(shop.deps, row)).toEqual([secret])
})

test('both secrets verify for a day after a rotation', async () => {
  const { id, secret: old } = await create()
  const { body } = await call('POST', `/${id}/rotate-secret`)
  expect(body.secret).not.toBe(old)
  await recordEvents(shop.deps, 1)
  await deliver(shop.deps)
  await call('POST', `/${id}/test`)
  await sql`update webhooks set previous_secret_until = now()`.execute(shop.deps.db)
  await recordEvents(shop.deps, 2)
  await deliver(shop.deps)
  await call('POST', `/${id}/test`)
  const verifies = (secret: string) =>
    receiver.received.map(({ body: text, headers }) => {
      try {
        return new Verifier(secret).verify(text, headers) !== null
      } catch {
        return false
      }
    })
  expect([verifies(body.secret), verifies(old)]).toEqual([
    [true, true, true, true],
    [true, true, false, false],
  ])
})

test('a test is sent at once, also to a webhook that is off', async () => {
  const { id, secret } = await create({ active: false })
  expect((await call('POST', `/${id}/test`)).body).toEqual({
    delivered: true,
    responseStatus: 200,
    response: 'ok',
    error: null,
  })
  const [{ body, headers, type } = { body: '', headers: {}, type: '' }] = receiver.received
  expect(new Verifier(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test', data: {} })
  expect(type).toBe('webhook.test')
  receiver.answer = (response) => response.writeHead(301, { location: '/' }).end()
  expect((await call('POST', `/${id}/test`)).body).toMatchObject({
    delivered: false,
    responseStatus: 301,
    error: 'The receiver answered 301',
  })
  expect((await call('GET', `/${id}/deliveries`)).body).toEqual([])
})

test('deliveries are logged, and can be sent again with the same id', async () => {
  const { id } = await create()
  receiver.answer = (response) => response.writeHead(502).end('<h1>Bad Gateway</h1>')
  await recordEvents(shop.deps, 1)
  await deliver(shop.deps)
  const [logged] = (await call('GET', `/${id}/deliveries`)).body
  expect(logged).toMatchObject({
    webhookId: id,
    event: 'contact.created',
    status: 'PENDING',
    attempts: 1,
    nextAttemptAt: expect.any(String),
    responseStatus: 502,
    response: '<h1>Bad Gateway</h1>',
    error: 'The receiver answered 502',
    finishedAt: null,
  })
  expect((await call('GET', `/${id}`)).body.failingSince).toEqual(expect.any(String))
  receiver.answer = (response) => response.writeHead(200).end('ok')
  const path = `/${id}/deliveries/${logged.id}/retry`
  expect((await call('POST', path)).body).toMatchObject({ status: 'PENDING', attempts: 0 })
  const audited = await shop.deps.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(1).execute()
  expect(audited).toMatchObject([
    { entity: 'WEBHOOK', entity_id: String(id), action: 'UPDATE', after: { retriedDelivery: logged.id } },
  ])
  await deliver(shop.deps)
  const [delivered] = (await call('GET', `/${id}/deliveries`)).body
  expect(delivered).toMatchObject({ id: logged.id, attempts: 1, response: 'ok', error: null })
  // What arrived is sent again, too.
  await call('POST', path)
  await deliver(shop.deps)
  expect(receiver.received.map((message) => message.id)).toEqual(Array(3).fill(logged.messageId))
  expect((await call('GET', '/999/deliveries')).status).toBe(404)
  expect((await call('POST', `/${id}/deliveries/999/retry`)).status).toBe(404)
  expect((await call('POST', `/999/deliveries/${logged.id}/retry`)).status).toBe(404)
})

test('a webhook that is switched on, or gets another URL, has not failed', async () => {
  const { id } = await create({ url: `http://127.0.0.1:${receiver.port}/old` })
  receiver.answer = (response) => response.writeHead(410).end()
  await recordEvents(shop.deps, 1)
  await deliver(shop.deps)
  const failed = expect.objectContaining({ active: false, failingSince: expect.any(String) })
  expect((await call('GET', `/${id}`)).body).toEqual(failed)
  expect((await call('PUT', `/${id}`, input({ active: true }))).body.failingSince).toBeNull()
  await recordEvents(shop.deps, 2)
  await sql`update webhook_deliveries set next_attempt_at = now()`.execute(shop.deps.db)
  receiver.answer = (response) => response.writeHead(500).end()
  await deliver(shop.deps)
  expect((await call('PUT', `/${id}`, input())).body.failingSince).toEqual(expect.any(String))
  // What failed was another receiver.
  expect((await call('PUT', `/${id}`, input({ url: `${receiver.url}/new` }))).body.failingSince).toBeNull()
})
