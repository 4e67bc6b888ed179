import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBlankOrEmail } from '../../src/rules/accounts/credentials.ts'
import { isPhone } from '../../src/rules/phone.ts'
import { WEBHOOK_EVENTS } from '../../src/rules/webhooks.ts'
import { rebuild } from '../../src/services/published/publishing.ts'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { placeOrder } from '../support/orders.ts'
import { type ScriptedShop, startScriptedShop } from '../support/scripted-supplier.ts'
import { describedApi } from '../support/shop.ts'
import { createWebhook } from '../support/webhooks.ts'

let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop({}, { publishes: true })
})
afterAll(() => world.close())

test('webhook requests match the API description', async () => {
  const { shop } = world
  const { deps } = shop
  await createWebhook(deps, 'http://127.0.0.1:9/', [...WEBHOOK_EVENTS])
  await world.sync()
  const productId = await createProduct(deps.db)
  const { id } = await placeOrder(shop, [{ productId, quantity: 1 }])
  const token = await loginAs(shop, 'ADMIN')
  await shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token, body: { status: 'PROCESSING' } })
  const contact = { name: 'Анна', phone: '+7 900 123-45-67', message: 'Когда?' }
  await shop.call('POST', '/api/v1/contacts', { body: contact })
  await rebuild(deps, 'feed')

  const document = JSON.parse(await describedApi(shop.app))
  expect(Object.keys(document.webhooks)).toEqual([...WEBHOOK_EVENTS, 'webhook.test'])
  const ajv = addFormats.default(new Ajv({ strict: false }))
  ajv.addFormat('phone', isPhone).addFormat('email-or-blank', isBlankOrEmail).addFormat('line', true)
  ajv.addSchema(document, 'api')
  const rows = await deps.db.selectFrom('webhook_deliveries').select(['event', 'body']).execute()
  expect(new Set(rows.map(({ event }) => event))).toEqual(new Set(WEBHOOK_EVENTS))
  for (const { event, body } of rows) {
    const { schema } = document.webhooks[event].post.requestBody.content['application/json']
    const validate = ajv.compile({ $ref: `api${schema.$ref}` })
    expect(validate(JSON.parse(body)), `${body} ${JSON.stringify(validate.errors)}`).toBe(true)
  }
})
