import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseStaleOrders } from '../../../src/services/stock/reservations.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { placeOrder, sendOrder, setSetting } from '../../support/orders.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

// What an order makes stale, exactly, on every instance (docs/decisions.md, "Unit of work").
let here: TestShop
let there: TestShop
let admin: string

beforeAll(async () => {
  here = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  there = await startTestShop({}, { databaseUrl: here.deps.config.databaseUrl })
  admin = await loginAs(here, 'ADMIN')
})
afterAll(async () => {
  await there.close()
  await here.close()
})

/** Two products of five pieces, with their list and cards cached by both instances. */
async function heldProducts() {
  const [sold, other] = [
    await createProduct(here.deps.db, { stock: 5 }),
    await createProduct(here.deps.db, { stock: 5 }),
  ]
  const paths = {
    list: '/api/v1/products?size=100',
    sold: `/api/v1/products/${sold}`,
    other: `/api/v1/products/${other}`,
  }
  // Inserted by SQL, so caches are not invalidated.
  for (const shop of [here, there]) shop.deps.caches.clear()
  let description = ''
  /** Changed by SQL without an event, so that cached answers differ. */
  const changeSilently = async () => {
    description += 'new '
    await here.deps.db.updateTable('products').set({ description }).execute()
  }
  const held = async (shop: TestShop) => {
    const kept: string[] = []
    for (const [name, path] of Object.entries(paths)) {
      if (!(await shop.call('GET', path)).text.includes(`"description":"${description}"`)) kept.push(name)
    }
    return kept
  }
  // Nothing is cached before the listener is connected.
  const fill = async (shop: TestShop) => {
    for (const path of Object.values(paths)) expect((await shop.call('GET', path)).status).toBe(200)
  }
  const allHeld = async () => {
    await fill(here)
    await fill(there)
    await changeSilently()
    return [await held(here), await held(there)]
  }
  await expect.poll(allHeld, { interval: 50 }).toEqual([Object.keys(paths), Object.keys(paths)])
  return { sold, other, held, changeSilently }
}

test('invalidates lists only when an order reserves the last pieces', async () => {
  const { sold, held } = await heldProducts()
  await placeOrder(here, [{ productId: sold, quantity: 4 }])
  expect(await held(here)).toEqual(['list', 'other'])
  await placeOrder(here, [{ productId: sold, quantity: 1 }])
  expect(await held(here)).toEqual(['other'])
  await expect.poll(() => held(there), SOON).toEqual(['other'])
  expect((await there.call('GET', `/api/v1/products/${sold}`)).body).toMatchObject({ available: false })
})

test('invalidates nothing for a replay, a refused order or a comment', async () => {
  const { sold, held, changeSilently } = await heldProducts()
  const body = [{ productId: sold, quantity: 5 }]
  const { id } = await placeOrder(here, body, { key: 'once' })
  expect(await held(here)).toEqual(['other'])
  await changeSilently()
  const all = ['list', 'sold', 'other']
  expect(await held(here)).toEqual(all)
  await placeOrder(here, body, { key: 'once' })
  expect((await sendOrder(here, body)).status).toBe(409)
  await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { adminComment: 'x' } })
  expect(await held(here)).toEqual(all)
})

test.each(['cancelled', 'deleted', 'deleted with others'] as const)(
  'the goods of an order that is %s are shown as available at once',
  async (way) => {
    const { sold, held } = await heldProducts()
    const { id } = await placeOrder(here, [{ productId: sold, quantity: 5 }])
    await expect.poll(() => held(there), SOON).toEqual(['other'])
    const card = (shop: TestShop) => shop.call('GET', `/api/v1/products/${sold}`)
    expect((await card(here)).body).toMatchObject({ available: false })
    expect((await card(there)).body).toMatchObject({ available: false })
    if (way === 'cancelled') {
      const body = { status: 'CANCELLED' }
      await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body })
    } else if (way === 'deleted') {
      await here.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
    } else {
      const old = { created_at: new Date('2020-01-01') }
      await here.deps.db.updateTable('orders').set(old).execute()
      await here.call('DELETE', '/api/v1/admin/orders/bulk-delete?days=30', { token: admin })
    }
    expect((await card(here)).body).toMatchObject({ available: true })
    await expect.poll(async () => (await card(there)).body, SOON).toMatchObject({ available: true })
    expect(await held(here)).toContain('other')
    if (way !== 'cancelled') return
    // Opened again, it takes the goods again.
    await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status: 'PROCESSING' } })
    expect((await card(here)).body).toMatchObject({ available: false })
  },
)

test('shows goods of an expired order as available at once', async () => {
  const { sold, held } = await heldProducts()
  await placeOrder(here, [{ productId: sold, quantity: 5 }])
  await expect.poll(() => held(there), SOON).toEqual(['other'])
  const card = async (shop: TestShop) => (await shop.call('GET', `/api/v1/products/${sold}`)).body
  for (const shop of [here, there]) expect(await card(shop)).toMatchObject({ available: false })
  await here.deps.db
    .updateTable('orders')
    .set({ created_at: new Date('2020-01-01') })
    .execute()
  await releaseStaleOrders(here.deps)
  expect(await card(here)).toMatchObject({ available: true })
  await expect.poll(() => card(there), SOON).toMatchObject({ available: true })
})

test('updates availability at once when an order is set to SENT', async () => {
  const { sold } = await heldProducts()
  const { id } = await placeOrder(here, [{ productId: sold, quantity: 5 }])
  const card = async (shop: TestShop) => (await shop.call('GET', `/api/v1/products/${sold}`)).body
  for (const [status, available] of [
    ['CANCELLED', true],
    ['SENT', false],
  ] as const) {
    await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status } })
    expect(await card(here)).toMatchObject({ available })
    await expect.poll(() => card(there), SOON).toMatchObject({ available })
  }
})

test('shows an added or removed item at once', async () => {
  const { sold, other } = await heldProducts()
  const { id } = await placeOrder(here, [{ productId: other, quantity: 1 }])
  const card = async () => (await here.call('GET', `/api/v1/products/${sold}`)).body
  const items = `/api/v1/admin/orders/${id}/items`
  const added = await here.call('POST', items, { token: admin, body: { productId: sold, quantity: 5 } })
  expect(await card()).toMatchObject({ available: false })
  const { items: lines } = added.body as { items: { id: number; productId: number }[] }
  const line = lines.find(({ productId }) => productId === sold)
  await here.call('DELETE', `${items}/${line?.id}`, { token: admin })
  expect(await card()).toMatchObject({ available: true })
})

test('leaves availability unchanged when backorders are allowed', async () => {
  await setSetting(here, admin, 'order_allow_backorder', 'true')
  const { sold, held } = await heldProducts()
  await placeOrder(here, [{ productId: sold, quantity: 4 }])
  expect(await held(here)).toEqual(['list', 'other'])
  await placeOrder(here, [{ productId: sold, quantity: 20 }])
  expect(await held(here)).toEqual(['other'])
  await setSetting(here, admin, 'order_allow_backorder', 'false')
})
