import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { write } from '../../../src/runtime/write.ts'
import { loginAs } from '../../support/accounts.ts'
import { type EventClient, openEvents } from '../../support/events.ts'
import { createProduct } from '../../support/factories.ts'
import type { TestShop } from '../../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { createWebhook, deliver } from '../../support/webhooks.ts'

// The topics of products are anyone's, so they name what the public sees.
let world: SupplierShop
let shop: TestShop
let receiver: WebhookReceiver
let client: EventClient
let admin: string

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startSupplierShop({ WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${receiver.port}` })
  shop = world.shop
  admin = await loginAs(shop, 'ADMIN')
  await createWebhook(shop.deps, receiver.url, ['product.changed'])
  client = await openEvents(shop.url)
  await client.subscribe(['products'])
})
beforeEach(async () => {
  await toldBetween(async () => {})
})
afterAll(async () => {
  client.socket.close()
  await world.close()
  await receiver.close()
})

const send = async (method: string, path: string, body?: object) => {
  const answer = await shop.call(method, `/api/v1/products${path}`, { token: admin, ...(body && { body }) })
  expect([200, 201, 204]).toContain(answer.status)
  return Object(answer.body)
}
const create = (active: boolean) =>
  createProduct(shop.deps.db, { price: '10.00', activeOverride: active ? null : false })

/** What stands for all products. */
const ANY = 0

/** The products that some work names, in live events and in webhooks. */
async function toldBetween(work: () => Promise<unknown>) {
  receiver.received = []
  const from = client.messages.length
  await work()
  const last = await create(true)
  await send('PATCH', `/${last}`, { name: 'Last' })
  for (;;) if ((await client.next('products.changed')).ids?.includes(last)) break
  await deliver(shop.deps)
  const messages = client.messages.slice(from)
  const sent: number[] = receiver.received.flatMap(({ data }) => Object(data).ids)
  return {
    live: messages.flatMap((message) => (message.type === 'products.changed' ? (message.ids ?? [ANY]) : [])),
    sent,
  }
}

async function expectNamed(ids: number[], notNamed: number[], work: () => Promise<unknown>): Promise<void> {
  const { live, sent } = await toldBetween(work)
  for (const named of [live, sent]) {
    expect(named).toEqual(expect.arrayContaining(ids))
    for (const id of [...notNamed, ANY]) expect(named).not.toContain(id)
  }
}

test('a hidden product is named neither when it is created, nor edited, nor deleted', async () => {
  const shown = await create(true)
  let made = 0
  const work = async () => {
    made = (await send('POST', '', { name: 'Новинка', price: 10, stock: 1, active: false })).id
    await send('PATCH', `/${made}`, { sitePrice: 5 })
    await send('PATCH', `/${shown}`, { sitePrice: 5 })
    await send('DELETE', `/${made}`)
  }
  const { live, sent } = await toldBetween(work)
  expect(made).toBeGreaterThan(0)
  for (const named of [live, sent]) {
    expect(named).toContain(shown)
    expect(named).not.toContain(made)
  }
})

test('one is named that staff hide, show or delete, and no more while it is hidden', async () => {
  const [id, deleted] = [await create(true), await create(true)]
  await expectNamed([id, deleted], [], async () => {
    await send('PATCH', `/${id}`, { active: false })
    await send('DELETE', `/${deleted}`)
  })
  await expectNamed([], [id, deleted], () => send('PATCH', `/${id}`, { name: 'Тайна' }))
  await expectNamed([id], [], () => send('PATCH', `/${id}`, { active: true }))
})

test('a bulk edit names what the public saw or sees', async () => {
  const [shown, hidden] = [await create(true), await create(false)]
  const edit = (set: object) => () => send('PATCH', '', { ids: [shown, hidden], set })
  await expectNamed([shown], [hidden], edit({ sitePrice: 3 }))
  await expectNamed([shown], [hidden], edit({ active: false }))
  await expectNamed([], [shown, hidden], edit({ sitePrice: 2 }))
  await expectNamed([shown, hidden], [], edit({ active: true }))
})

test('a sync names what it hides, and nothing of what is hidden', async () => {
  const { catalogue } = world
  for (const id of ['stays', 'hides', 'secret']) {
    catalogue.upsertProduct({ id, name: id, price: 10, stock: 5, active: id !== 'secret' })
  }
  await world.sync()
  const rows = await shop.deps.db.selectFrom('products').select(['id', 'external_id']).execute()
  const idOf = (name: string) => rows.find(({ external_id }) => external_id === name)?.id ?? 0
  const [stays, hides, secret] = [idOf('stays'), idOf('hides'), idOf('secret')]
  await expectNamed([stays, hides], [secret], async () => {
    catalogue.upsertProduct({ id: 'stays', price: 11 })
    catalogue.upsertProduct({ id: 'hides', active: false })
    catalogue.upsertProduct({ id: 'secret', price: 11 })
    await world.sync()
  })
  await expectNamed([], [hides, secret], async () => {
    catalogue.upsertProduct({ id: 'hides', price: 12 })
    await world.sync()
  })
})

test('two full loads that miss products name those that the public saw', async () => {
  const { catalogue } = world
  for (const id of ['goes', 'kept']) catalogue.upsertProduct({ id, name: id, price: 10, stock: 5 })
  await world.sync()
  const rows = await shop.deps.db.selectFrom('products').select(['id', 'external_id']).execute()
  const idOf = (name: string) => rows.find(({ external_id }) => external_id === name)?.id ?? 0
  const goes = idOf('goes')
  // Staff keep it, whatever the supplier says.
  await send('PATCH', `/${idOf('kept')}`, { active: true })
  for (const id of ['goes', 'kept']) catalogue.products.delete(id)
  await world.sync({ full: true, acceptVanished: true })
  await expectNamed([goes], [], () => world.sync({ full: true, acceptVanished: true }))
  await expectNamed([], [goes], () => send('PATCH', `/${goes}`, { sitePrice: 5 }))
})

test('a subscriber of a hidden product hears nothing of it until it is shown', async () => {
  const id = await create(false)
  const own = await openEvents(shop.url)
  await own.subscribe([`product:${id}`])
  await toldBetween(() => send('PATCH', `/${id}`, { sitePrice: 5 }))
  await send('PATCH', `/${id}`, { active: true })
  const shown = { type: 'product.changed', id, finalPrice: 5, available: true, active: true }
  expect(await own.next('product.changed')).toEqual(shown)
  expect(own.messages.filter(({ type }) => type === 'product.changed')).toEqual([shown])
  own.socket.close()
})

test('too many hidden products to name are not announced at all', async () => {
  const ids = Array.from({ length: 600 }, (_, index) => 1_000_000 + index)
  const { live, sent } = await toldBetween(() => write(shop.deps, async (tx) => tx.recordChange('product', ids)))
  expect([live.includes(ANY), sent.filter((id) => id >= 1_000_000)]).toEqual([false, []])
})
