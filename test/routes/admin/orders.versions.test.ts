import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StaffOrder } from '../../../src/schemas/orders.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { orderDetails, placeOrder } from '../../support/orders.ts'
import type { TestShop } from '../../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

// docs/http.md, "Save without overwriting", on orders.
let world: SupplierShop
let shop: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  world = await startSupplierShop({ RATE_LIMIT_ORDERS: '0' })
  shop = world.shop
  admin = await loginAs(shop, 'ADMIN')
  world.catalogue.upsertProduct({ id: 'p1', name: 'Дрель', price: 100, stock: 100_000 })
  productId = await createProduct(shop.deps.db, { externalId: 'p1', stock: 100_000 })
})
afterAll(() => world.close())

const oneItem = () => placeOrder(shop, [{ productId, quantity: 1 }])
const path = (id: number, rest = '') => `/api/v1/admin/orders/${id}${rest}`
const send = (method: string, url: string, { body, version }: { body?: object; version?: string } = {}) =>
  shop.call(method, url, {
    token: admin,
    ...(body === undefined ? {} : { body }),
    ...(version === undefined ? {} : { headers: { 'if-match': version } }),
  })
const versionOf = async (id: number) => (await orderDetails(shop, admin, id)).version

/** An order with two items, of version 2. */
async function prepare(): Promise<StaffOrder> {
  const { id } = await oneItem()
  const { body } = await send('POST', path(id, '/items'), { body: { productId, quantity: 2 } })
  return body as StaffOrder
}

type Write = { name: string; method: string; rest: (order: StaffOrder) => string; body?: object }
const writes: Write[] = [
  { name: 'a comment', method: 'PATCH', rest: () => '', body: { adminComment: 'Позвонить' } },
  { name: 'a state', method: 'PATCH', rest: () => '', body: { status: 'PROCESSING' } },
  {
    name: 'both at once',
    method: 'PATCH',
    rest: () => '',
    body: { status: 'PROCESSING', adminComment: 'Позвонить' },
  },
  { name: 'delivery', method: 'PATCH', rest: () => '/delivery-cost', body: { deliveryCost: 300 } },
  { name: 'a new item', method: 'POST', rest: () => '/items', body: { productId: 1, quantity: 1 } },
  {
    name: 'a quantity',
    method: 'PATCH',
    rest: ({ items }) => `/items/${items[1]?.id}`,
    body: { quantity: 3 },
  },
  { name: 'a name', method: 'PATCH', rest: () => '', body: { customerName: 'Ольга' } },
  { name: 'an item less', method: 'DELETE', rest: ({ items }) => `/items/${items[1]?.id}` },
  { name: 'a submission', method: 'POST', rest: () => '/submit' },
]

test.each(writes)('$name increments the version once', async ({ method, rest, body }) => {
  const order = await prepare()
  expect(order.version).toBe(2)
  const wanted = { ...(body && { body }), version: '"2"' }
  const answer = await send(method, path(order.id, rest(order)), wanted)
  expect([answer.status < 300, answer.text]).toEqual([true, expect.any(String)])
  expect(await versionOf(order.id)).toBe(3)
  if (answer.status !== 204) expect(answer.body).toMatchObject({ version: 3 })
})

test.each([...writes, { name: 'a deletion', method: 'DELETE', rest: () => '' }])(
  '$name with an older version changes nothing',
  async ({ method, rest, body }) => {
    const order = await prepare()
    const before = await orderDetails(shop, admin, order.id)
    const sent = world.supplier.orders.length
    for (const version of ['"1"', '"3"', 'W/"2"', '1', '"x"']) {
      const answer = await send(method, path(order.id, rest(order)), { ...(body && { body }), version })
      expect(answer).toMatchObject({ status: 412, body: { code: 'STALE', current: order } })
    }
    expect(await orderDetails(shop, admin, order.id)).toEqual(before)
    expect(world.supplier.orders).toHaveLength(sent)
    const any = await send(method, path(order.id, rest(order)), { ...(body && { body }), version: '*' })
    expect(any.status).toBeLessThan(300)
  },
)

test('increments the version on a refused submission', async () => {
  const { id } = await oneItem()
  world.supplier.faults.set({ failNext: 1, status: 500, path: 'CreateOrder' })
  const refused = await send('POST', path(id, '/submit'), { version: '"1"' })
  expect(refused.body).toMatchObject({ status: 'ERROR', version: 2 })
  const stale = await send('POST', path(id, '/submit'), { version: '"1"' })
  expect(stale).toMatchObject({
    status: 412,
    body: { current: { status: 'ERROR', submitError: expect.any(String) } },
  })
})

test('accepts one of several changes with the same version', async () => {
  const { id } = await oneItem()
  const all = [
    send('PATCH', path(id), { body: { adminComment: 'A' }, version: '"1"' }),
    send('PATCH', path(id), { body: { status: 'PROCESSING' }, version: '"1"' }),
    send('PATCH', path(id, '/delivery-cost'), { body: { deliveryCost: 5 }, version: '"1"' }),
    send('POST', path(id, '/items'), { body: { productId, quantity: 1 }, version: '"1"' }),
  ]
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  expect(statuses.filter((status) => status < 300)).toHaveLength(1)
  expect(statuses.filter((status) => status === 412)).toHaveLength(3)
  expect(await versionOf(id)).toBe(2)
})

test('lets the last write win without If-Match', async () => {
  const { id } = await oneItem()
  for (const adminComment of ['A', 'B']) {
    expect((await send('PATCH', path(id), { body: { adminComment } })).status).toBe(200)
  }
  expect(await orderDetails(shop, admin, id)).toMatchObject({ adminComment: 'B', version: 3 })
})

test('removes a comment without changing the state', async () => {
  const { id } = await oneItem()
  await send('PATCH', path(id), { body: { adminComment: 'A' } })
  await send('PATCH', path(id), { body: { adminComment: ' ' } })
  const { status, adminComment, history } = await orderDetails(shop, admin, id)
  expect([status, adminComment]).toEqual(['NEW', null])
  expect(history.at(-1)).toMatchObject({
    toStatus: 'NEW',
    before: { adminComment: 'A' },
    after: { adminComment: null },
  })
})

test('hides the version from customers and the audit', async () => {
  const token = shop.app.signToken(await createUser(shop, 'USER'))
  const { id, ...order } = await placeOrder(shop, [{ productId, quantity: 1 }], { token })
  expect(order).not.toHaveProperty('version')
  await send('PATCH', path(id), { body: { adminComment: 'A' } })
  for (const url of [`/api/v1/orders/${id}`, '/api/v1/orders/my']) {
    const { text } = await shop.call('GET', url, { token })
    expect([url, text.includes('"id"'), text.includes('"version"')]).toEqual([url, true, false])
  }
  const { body: list } = await send('GET', '/api/v1/admin/orders?size=1')
  expect(list).toMatchObject({ content: [{ id, version: 2 }] })
  await send('DELETE', path(id), { version: '"2"' })
  const { body } = await send('GET', `/api/v1/admin/audit?entity=ORDER&entityId=${id}`)
  const { content } = body as { content: { action: string; before: object }[] }
  expect(content.map(({ action }) => action)).toEqual(['DELETE', 'UPDATE'])
  expect(content[1]).toMatchObject({ before: { adminComment: null }, after: { adminComment: 'A' } })
  for (const { before } of content) expect(before).not.toHaveProperty('version')
})

test('a write that changes nothing makes no open form stale', async () => {
  const order = await prepare()
  const same = [
    send('PATCH', path(order.id), { body: order }),
    send('PATCH', path(order.id, '/delivery-cost'), { body: order }),
    send('PATCH', path(order.id, `/items/${order.items[1]?.id}`), { body: { quantity: 2 } }),
  ]
  for (const answer of await Promise.all(same)) expect(answer.body).toEqual(order)
})
