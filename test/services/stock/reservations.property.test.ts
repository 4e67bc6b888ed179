import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseStaleOrders } from '../../../src/services/stock/reservations.ts'
import { loginAs } from '../../support/accounts.ts'
import { orderDetails, sendOrder } from '../../support/orders.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'
import { AvailabilityModel, type ModelOrder } from './availability-model.ts'

/** Sequential operations, compared with an exact model; concurrent ones are in place.property.test.ts. */
const STOCK = [3, 5, 8]
/** Of the first few there are, so that much happens to the same. */
const nat = fc.nat({ max: 2 })
const product = fc.nat({ max: STOCK.length - 1 })
const line = fc.record({ product, quantity: fc.integer({ min: 1, max: 4 }) })
const STATES = ['NEW', 'PROCESSING', 'SENT', 'SENT', 'ERROR', 'CANCELLED', 'CANCELLED', 'COMPLETED', 'ARCHIVED']
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('status' as const), order: nat, to: fc.constantFrom(...STATES) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      order: nat,
      fault: fc.constantFrom('none' as const, 'refuse' as const, 'fail' as const, 'lose' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), order: nat, line }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), order: nat, item: nat }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('quantity' as const),
      order: nat,
      item: nat,
      quantity: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), order: nat }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('sync' as const), full: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restock' as const), product, stock: fc.nat({ max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('age' as const), order: nat }) },
  // The supplier drops the product, or lists it again.
  { weight: 2, arbitrary: fc.record({ do: fc.constant('list' as const), product }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let world: SupplierShop
let admin: string
let runs = 0

beforeAll(async () => {
  world = await startSupplierShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(world.shop, 'ADMIN')
  // A load that misses a fifth of all products isn't believed.
  for (let n = 0; n < 20; n++) world.catalogue.upsertProduct({ id: `other-${n}`, name: `Товар ${n}` })
})
afterAll(() => world.close())

const LONG_AGO = new Date('2020-01-01')
type DemoProduct = ReturnType<typeof world.catalogue.upsertProduct>
/** What the supplier doesn't list at present. */
const dropped = new Map<string, DemoProduct>()

async function createStage() {
  const { shop, catalogue, supplier } = world
  const { db } = shop.deps
  runs += 1
  const names = STOCK.map((stock, index) => {
    const id = `model-${runs}-${index}`
    catalogue.upsertProduct({ id, name: `Товар ${id}`, price: 10, stock })
    return id
  })
  const changed = (name: string) => (catalogue.products.get(name)?.updatedAt ?? 0) > LONG_AGO.getTime()
  const isListed = (name: string) => !dropped.has(name)
  /** Makes incremental runs list only later changes, to the millisecond. */
  const settle = () => {
    for (const id of names.filter(isListed)) catalogue.upsertProduct({ id, updatedAt: LONG_AGO.getTime() })
  }
  for (const id of dropped.keys()) toggle(id)
  await world.sync({ full: true })
  settle()
  const rows = await db
    .selectFrom('products')
    .select(['id', 'external_id'])
    .where('external_id', 'in', names)
    .orderBy('external_id')
    .execute()
  const productIds = rows.map(({ id }) => id)
  const idOf = (index: number) => productIds[index] ?? 0
  const model = new AvailabilityModel(STOCK)
  const staff = (method: string, path: string, body?: unknown) =>
    shop.call(method, `/api/v1/admin/orders/${path}`, body === undefined ? { token: admin } : { token: admin, body })

  function toggle(id: string): void {
    const product = dropped.get(id) ?? catalogue.products.get(id)
    if (product === undefined) return
    if (dropped.delete(id)) catalogue.upsertProduct({ ...product, updatedAt: Date.now() })
    else {
      dropped.set(id, product)
      catalogue.products.delete(id)
    }
  }

  async function take(one: Step): Promise<void> {
    if (one.do === 'place') {
      const answer = await sendOrder(
        shop,
        one.lines.map(({ product, quantity }) => ({ productId: idOf(product), quantity })),
      )
      const id = () => Number(Reflect.get(Object(answer.body), 'id'))
      expect(answer.status).toBe(model.place(id, one.lines) ? 201 : 409)
    } else if (one.do === 'sync') await sync(one.full)
    else if (one.do === 'list') toggle(names[one.product] ?? '')
    else if (one.do === 'restock') {
      const id = names[one.product] ?? ''
      if (isListed(id)) catalogue.upsertProduct({ id, stock: one.stock })
    } else {
      const order = model.orders[one.order % Math.max(1, model.orders.length)]
      if (order) await change(order, one)
    }
  }

  async function change(order: ModelOrder, one: Extract<Step, { order: number }>): Promise<void> {
    if (one.do === 'status') {
      const { status } = await staff('PATCH', `${order.id}`, { status: one.to })
      expect(status).toBe(model.setStatus(order, one.to) ? 200 : 409)
    } else if (one.do === 'submit') await submit(order, one.fault)
    else if (one.do === 'add') {
      const { product, quantity } = one.line
      const { status } = await staff('POST', `${order.id}/items`, { productId: idOf(product), quantity })
      expect(status).toBe(model.add(order, one.line) ? 201 : 409)
    } else if (one.do === 'remove' || one.do === 'quantity') {
      const { items } = await orderDetails(shop, admin, order.id)
      const index = one.item % items.length
      const path = `${order.id}/items/${items[index]?.id}`
      if (one.do === 'remove') {
        expect((await staff('DELETE', path)).status).toBe(model.remove(order, index) ? 200 : 409)
      } else {
        const { quantity } = one
        const isChanged = model.setQuantity(order, index, quantity)
        expect((await staff('PATCH', path, { quantity })).status).toBe(isChanged ? 200 : 409)
      }
    } else if (one.do === 'delete') {
      expect((await staff('DELETE', `${order.id}`)).status).toBe(204)
      model.delete(order)
    } else {
      await db.updateTable('orders').set({ created_at: LONG_AGO }).where('id', '=', order.id).execute()
      const { history } = await orderDetails(shop, admin, order.id)
      order.idle = history.length === 1
      await releaseStaleOrders(shop.deps)
      model.letIdleGo()
    }
  }

  async function submit(order: ModelOrder, fault: 'none' | 'refuse' | 'fail' | 'lose'): Promise<void> {
    const path = 'CreateOrder'
    if (fault === 'refuse') supplier.faults.set({ failNext: 1, status: 400, path })
    if (fault === 'fail') supplier.faults.set({ failNext: 1, status: 503, path })
    if (fault === 'lose') supplier.faults.set({ loseAnswerNext: 1 })
    const { status } = await staff('POST', `${order.id}/submit`)
    supplier.faults.reset()
    // Answered with the stored order, without asking the supplier again.
    if (order.accepted) {
      expect(status).toBe(200)
      return
    }
    const tried = model.submit(order)
    expect(status).toBe(tried ? 200 : 409)
    if (!tried) return
    const outcome = ({ none: 'ACCEPTED', refuse: 'REFUSED', fail: 'UNCLEAR', lose: 'UNCLEAR' } as const)[fault]
    const { submitAttempts } = await orderDetails(shop, admin, order.id)
    expect(submitAttempts.at(-1)?.outcome).toBe(outcome)
    model.submitted(order, outcome)
  }

  async function sync(full: boolean): Promise<void> {
    const isFull = full || model.isInDoubt
    const listed = names.filter((name) => isListed(name) && (isFull || changed(name)))
    expect((await world.sync({ full })).status).toBe('SUCCEEDED')
    for (const name of listed) model.read(names.indexOf(name), catalogue.products.get(name)?.stock ?? 0)
    if (isFull) model.readFully(names.flatMap((name, index) => (isListed(name) ? [] : [index])))
    settle()
  }

  async function compare(): Promise<void> {
    const cart = await shop.call('POST', '/api/v1/cart/validate', {
      body: productIds.map((productId) => ({ productId, quantity: 1 })),
    })
    const available = productIds.map((_, index) => ({
      availableQuantity: model.active[index] ? Math.max(0, model.available(index)) : 0,
    }))
    expect(cart.body).toMatchObject({ items: available })
    const lines = await db
      .selectFrom('order_items')
      .select(['order_id', 'product_id', 'quantity', 'holding'])
      .where('product_id', 'in', productIds)
      .orderBy('id')
      .execute()
    for (const { id, lines: expected } of model.orders) {
      const own = lines.filter(({ order_id }) => order_id === id)
      expect(
        own.map(({ product_id, quantity, holding }) => ({
          product: productIds.indexOf(product_id ?? 0),
          quantity,
          holding,
        })),
      ).toEqual(expected)
    }
    expect(lines.filter(({ order_id }) => order_id === null)).toHaveLength(model.detached.length)
  }

  return { take, compare }
}

const of = (product: number, quantity: number) => ({ product, quantity })
const place = (...lines: { product: number; quantity: number }[]): Step => ({ do: 'place', lines })
const status = (order: number, to: string): Step => ({ do: 'status', order, to })
const remove = (order: number): Step => ({ do: 'remove', order, item: 0 })
const quantity = (order: number, quantity: number): Step => ({ do: 'quantity', order, item: 0, quantity })

const list = (product: number): Step => ({ do: 'list', product })
const sync = (full: boolean): Step => ({ do: 'sync', full })

/** What chance rarely comes upon. */
const stories: Step[][] = [
  [place(of(0, 2), of(1, 2)), status(0, 'SENT'), status(0, 'NEW'), remove(0), sync(false)],
  [place(of(0, 3)), status(0, 'SENT'), status(0, 'PROCESSING'), quantity(0, 1), sync(true)],
  [place(of(0, 3)), { do: 'age', order: 0 }, place(of(0, 2)), { do: 'submit', order: 0, fault: 'none' }],
  [place(of(0, 3)), status(0, 'CANCELLED'), place(of(0, 2)), status(0, 'SENT'), status(0, 'NEW')],
  [
    ...[place(of(0, 3), of(1, 1)), { do: 'submit', order: 0, fault: 'lose' } as const],
    ...[{ do: 'submit', order: 0, fault: 'refuse' } as const, remove(0), { do: 'delete', order: 0 } as const],
    ...[sync(false), place(of(0, 1)), sync(true)],
  ],
  [
    ...[place(of(0, 2)), status(0, 'SENT'), { do: 'delete', order: 0 } as const, place(of(0, 1)), list(0)],
    ...[sync(true), sync(false), place(of(0, 1)), status(0, 'CANCELLED'), status(0, 'NEW'), list(0), sync(false)],
    place(of(0, 2)),
  ],
]

test('keeps the available quantity equal to the model at every step', { timeout: 180_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }), async (steps) => {
      const stage = await createStage()
      for (const one of steps) {
        await stage.take(one)
        await stage.compare()
      }
    }),
    {
      numRuns: Number(process.env.PROPERTY_RUNS ?? 6),
      endOnFailure: true,
      examples: stories.map((steps) => [steps]),
    },
  )
})
