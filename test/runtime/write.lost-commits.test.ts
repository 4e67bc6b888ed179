import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberedCatalogue } from '../demo/client.ts'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { loseCommit } from '../support/lost-commits.ts'
import { availableOf, createSupplierOrder, orderDetails, sendOrder } from '../support/orders.ts'
import { type SupplierShop, startSupplierShop } from '../support/supplier-shop.ts'

// A commit whose answer was lost is an error to whoever waits for it, but it has happened.
let world: SupplierShop
let admin: string

beforeAll(async () => {
  world = await startSupplierShop({}, numberedCatalogue(20))
  admin = await loginAs(world.shop, 'ADMIN')
})
afterAll(() => world.close())

test('shows what was stored, although staff got an error', async () => {
  const { shop } = world
  const id = await createProduct(shop.deps.db, { name: 'Чайник' })
  const shown = async () => (await shop.call('GET', `/api/v1/products/${id}`)).body
  expect(await shown()).toMatchObject({ name: 'Чайник' })
  const isLost = loseCommit(shop.deps.db)
  const edited = await shop.call('PATCH', `/api/v1/products/${id}`, { token: admin, body: { name: 'Самовар' } })
  expect([edited.status, isLost()]).toEqual([503, true])
  expect(await shown()).toMatchObject({ name: 'Самовар' })
})

test('places an order once when its request is repeated', async () => {
  const { shop } = world
  const id = await createProduct(shop.deps.db, { stock: 10 })
  const order = () => sendOrder(shop, [{ productId: id, quantity: 3 }], { key: 'lost' })
  const isLost = loseCommit(shop.deps.db)
  expect([(await order()).status, isLost()]).toEqual([503, true])
  expect(await availableOf(shop, id)).toBe(7)
  const repeated = await order()
  expect(repeated).toMatchObject({ status: 201, body: { items: [{ productId: id, quantity: 3 }] } })
  expect(await availableOf(shop, id)).toBe(7)
  const lines = shop.deps.db.selectFrom('order_items').select('id').where('product_id', '=', id)
  expect(await lines.execute()).toHaveLength(1)
})

test("stores the supplier's answer once", async () => {
  const { shop, supplier } = world
  const id = await createSupplierOrder(shop)
  const isAnswered = async () =>
    (await orderDetails(shop, admin, id)).submitAttempts.some(({ outcome }) => outcome === 'ACCEPTED')
  const isLost = loseCommit(shop.deps.db, isAnswered)
  const submitted = await shop.call('POST', `/api/v1/admin/orders/${id}/submit`, { token: admin })
  expect([submitted.status, isLost()]).toEqual([200, true])
  const sent = supplier.orders.filter(({ reference }) => reference === String(id))
  expect(sent).toHaveLength(1)
  const { status, externalId, submitAttempts, history } = await orderDetails(shop, admin, id)
  expect({ status, externalId }).toEqual({ status: 'SENT', externalId: sent[0]?.id })
  expect(submitAttempts.map(({ outcome }) => outcome)).toEqual(['ACCEPTED'])
  expect(history.map(({ toStatus }) => toStatus)).toEqual(['SENT'])
})
