import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../src/deps.ts'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../src/rules/webhooks.ts'
import { dryRun, write } from '../../src/runtime/write.ts'
import { rebuild } from '../../src/services/published/publishing.ts'
import { loginAs } from '../support/accounts.ts'
import { untilWaiting, whileLocked } from '../support/locks.ts'
import { orderDetails, placeOrder, sendOrder } from '../support/orders.ts'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../support/scripted-supplier.ts'
import { overhear } from '../support/statements.ts'
import { createWebhook, recordEvents } from '../support/webhooks.ts'

// Rows for webhooks are written in the transaction of the change.
let world: ScriptedShop
let shop: ScriptedShop['shop']
let deps: Deps
let token: string

beforeAll(async () => {
  world = await startScriptedShop({ RATE_LIMIT_ORDERS: '0' }, { publishes: true })
  shop = world.shop
  deps = shop.deps
  token = await loginAs(shop, 'ADMIN')
})
afterEach(() => deps.db.deleteFrom('webhooks').execute())
afterAll(() => world.close())

const listen = (...events: WebhookEvent[]) => createWebhook(deps, 'http://127.0.0.1:9/', events)

async function taken(): Promise<{ type: string; timestamp: string; data: unknown }[]> {
  const rows = await deps.db.deleteFrom('webhook_deliveries').returning(['id', 'body']).execute()
  return rows.sort((a, b) => a.id - b.id).map(({ body }) => JSON.parse(body))
}

async function syncedProduct(): Promise<number> {
  await world.startOver()
  world.supplier.lists.ListCategories = [{ id: 'c', name: 'C', updatedAt: '01.01.2026 00:00:00.000' }]
  world.supplier.lists.ListProducts = [wireProduct('p1', { categoryId: 'c', stock: 10, price: 5 })]
  await world.sync()
  const { id } = await deps.db.selectFrom('products').select('id').executeTakeFirstOrThrow()
  return id
}

test('an order and its states, as staff see it at that moment', async () => {
  const productId = await syncedProduct()
  await listen('order.created', 'order.status_changed')
  const placed = await placeOrder(shop, [{ productId, quantity: 2 }])
  const path = `/api/v1/admin/orders/${placed.id}`
  const { body: processing } = await shop.call('PATCH', path, { token, body: { status: 'PROCESSING' } })
  // No change of the state.
  await shop.call('PATCH', path, { token, body: { adminComment: 'Call first' } })
  await shop.call('PATCH', path, { token, body: { status: 'COMPLETED' } })
  const { history: _, submitAttempts: __, ...last } = await orderDetails(shop, token, placed.id)
  await shop.call('DELETE', path, { token })
  expect(await taken()).toEqual([
    {
      type: 'order.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: expect.objectContaining({
        id: placed.id,
        total: placed.total,
        customer: null,
        adminComment: null,
        version: 1,
      }),
    },
    { type: 'order.status_changed', timestamp: expect.any(String), data: processing },
    { type: 'order.status_changed', timestamp: expect.any(String), data: last },
  ])
})

test('products, the sync, the feed and a contact request', async () => {
  await listen('product.changed', 'sync.finished', 'feed.published', 'contact.created')
  const id = await syncedProduct()
  await rebuild(deps, 'feed')
  const seen = await taken()
  expect(seen.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['product.changed', 'sync.finished', 'feed.published']),
  )
  expect(seen[0]).toMatchObject({ type: 'product.changed', data: { ids: [id] } })
  const run = seen.find(({ type }) => type === 'sync.finished')
  expect(run?.data).toMatchObject({ status: 'SUCCEEDED', trigger: 'MANUAL', types: expect.any(Array) })
  const feed = seen.find(({ type }) => type === 'feed.published')
  expect(feed?.data).toEqual({ builtAt: expect.stringMatching(/Z$/), offers: 1 })

  // What an order reserves changes whether a product is available.
  await placeOrder(shop, [{ productId: id, quantity: 10 }])
  const request = { name: 'Анна', phone: '+7 900 123-45-67', message: 'Когда?' }
  const { body: contact } = await shop.call('POST', '/api/v1/contacts', { body: request })
  expect(await taken()).toMatchObject([
    { type: 'product.changed', data: { ids: [id] } },
    { type: 'contact.created', data: contact },
  ])
})

test('a failed and an interrupted sync have finished, too', async () => {
  await listen('sync.finished')
  world.supplier.intercept = () => ({ status: 400, body: { error: 'no' } })
  await expect(world.sync()).resolves.toMatchObject({ status: 'FAILED' })
  world.supplier.intercept = null
  const dead = { status: 'RUNNING' as const, trigger: 'CRON' as const, started_at: new Date() }
  const { id } = await deps.db.insertInto('sync_runs').values(dead).returning('id').executeTakeFirstOrThrow()
  await world.sync()
  expect(await taken()).toMatchObject([
    { data: { status: 'FAILED', error: expect.any(String) } },
    { data: { id, status: 'FAILED', error: 'Interrupted: the process ended' } },
    { data: { status: 'SUCCEEDED' } },
  ])
})

test('many products come in batches of 500', async () => {
  const ids = Array.from({ length: 1201 }, (_, index) => index + 1)
  await listen('product.changed')
  await write(deps, async (tx) => tx.recordChange('productHidden', ids.toReversed()))
  const data = (await taken()).map((event) => Object(event.data).ids)
  expect(data.map(({ length }) => length)).toEqual([500, 500, 201])
  expect(data.flat()).toEqual(ids)
})

test('nothing of a rollback or a dry run', async () => {
  const productId = await syncedProduct()
  await listen(...WEBHOOK_EVENTS)
  const refused = await sendOrder(shop, [{ productId, quantity: 11 }])
  expect(refused.status).toBe(409)
  const work = async (tx: Parameters<Parameters<typeof write>[1]>[0]) => {
    tx.recordChange('contactCreated', [1], () => ({ number: 1 }))
    return null
  }
  await dryRun(deps, work)
  const failing = write(deps, async (tx) => {
    await work(tx)
    tx.recordChange('orderCreated', [1], () => Promise.reject(new Error('unreadable')))
  })
  await expect(failing).rejects.toThrow('unreadable')
  expect(await taken()).toEqual([])
})

test('only active webhooks get what they want', async () => {
  const off = await listen('contact.created')
  await deps.db.updateTable('webhooks').set({ active: false }).where('id', '=', off).execute()
  await listen('order.created')
  const both = [await listen('contact.created'), await listen('contact.created', 'order.created')]
  await recordEvents(deps, 1)
  const rows = await deps.db.selectFrom('webhook_deliveries').select('webhook_id').orderBy('id').execute()
  expect(rows.map(({ webhook_id }) => webhook_id)).toEqual(both)
})

test('a webhook being deleted makes no change fail', async () => {
  const id = await listen('contact.created')
  const { change } = await whileLocked(
    deps.db,
    (trx) => trx.deleteFrom('webhooks').where('id', '=', id).execute(),
    async () => {
      const change = recordEvents(deps, 1)
      await untilWaiting(deps.db)
      return { change }
    },
  )
  await change
  expect(await taken()).toEqual([])
})

test('without webhooks an event costs no statement of its own, and is not read', async () => {
  const database = overhear(deps.config.databaseUrl)
  const statements = await database.statementsOf((db) =>
    write({ ...deps, db }, async (tx) =>
      tx.recordChange('contactCreated', [1], () => Promise.reject(new Error('read'))),
    ),
  )
  await database.close()
  expect(statements).toHaveLength(1)
})
