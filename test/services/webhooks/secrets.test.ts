import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findWebhook } from '../../../db/queries/webhooks/webhooks.ts'
import { found } from '../../../src/errors.ts'
import { newWebhookSecret } from '../../../src/runtime/secrets.ts'
import { sealSecret, sealSecrets, signingSecrets } from '../../../src/services/webhooks/secrets.ts'
import { loginAs } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { deliver, makeDue, recordEvents } from '../../support/webhooks.ts'

let shop: TestShop
let other: TestShop
let token: string
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  const environment = { WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${receiver.port}` }
  shop = await startTestShop(environment)
  other = await startTestShop(environment, { databaseUrl: shop.deps.config.databaseUrl })
  token = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('webhooks').execute()
  receiver.received = []
})
afterAll(async () => {
  await other.close()
  await shop.close()
  await receiver.close()
})

const call = async (method: string, path = '', body?: object) => {
  const answer = await shop.call(method, `/api/v1/admin/webhooks${path}`, { token, ...(body && { body }) })
  return { status: answer.status, body: Object(answer.body) }
}
const create = async (rest: object = {}) =>
  (await call('POST', '', { url: receiver.url, events: ['contact.created'], ...rest })).body
const stored = async (id: number) => found(await findWebhook(shop.deps.db, id), 'webhook')

test('the database holds no secret, the replaced one included', async () => {
  const { id, secret } = await create()
  const { body } = await call('POST', `/${id}/rotate-secret`)
  const row = JSON.stringify(await stored(id))
  for (const one of [secret, body.secret]) expect(row).not.toContain(one.slice('whsec_'.length))
})

test('secrets of 0.1.0 sign as before, and are sealed at the start', async () => {
  const { db } = shop.deps
  const { id, secret } = await create({ active: false })
  const previous = newWebhookSecret()
  const previous_secret_until = new Date(Date.now() + 3_600_000)
  await db
    .updateTable('webhooks')
    .set({ secret, previous_secret: previous, previous_secret_until })
    .where('id', '=', id)
    .execute()
  expect(signingSecrets(shop.deps, await stored(id))).toEqual([secret, previous])
  await Promise.all([sealSecrets(shop.deps), sealSecrets(other.deps)])
  const sealed = await stored(id)
  expect(JSON.stringify(sealed)).not.toContain('whsec_')
  expect(signingSecrets(other.deps, sealed)).toEqual([secret, previous])
  await sealSecrets(shop.deps)
  expect(await stored(id)).toEqual(sealed)
})

test('a secret sealed with another JWT_SECRET signs nothing until it is replaced', async () => {
  const { id } = await create()
  const secret = sealSecret({ config: { ...shop.deps.config, jwtSecret: 'x'.repeat(64) } }, newWebhookSecret())
  await shop.deps.db.updateTable('webhooks').set({ secret }).where('id', '=', id).execute()
  expect((await call('POST', `/${id}/test`)).body).toMatchObject({
    delivered: false,
    responseStatus: null,
    error: expect.stringContaining('rotate-secret'),
  })
  await recordEvents(shop.deps, 1)
  await deliver(shop.deps)
  expect(receiver.received).toEqual([])
  await call('POST', `/${id}/rotate-secret`)
  expect((await call('POST', `/${id}/test`)).body).toMatchObject({ delivered: true })
  await makeDue(shop.deps)
  await deliver(shop.deps)
  expect(receiver.received.map(({ data }) => data)).toEqual([{}, { number: 1 }])
})
