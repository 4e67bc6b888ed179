import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBoundedQueue } from '../../../src/runtime/concurrency/bounded-queue.ts'
import { releaseStaleOrders } from '../../../src/services/stock/reservations.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

type Item = { id: number; productId: number; priceAtOrder: number; quantity: number; lineTotal: number }
type Order = {
  id: number
  status: string
  externalId: string | null
  deliveryCost: number
  itemsTotal: number
  total: number
  items: Item[]
  history: { fromStatus: string | null; toStatus: string }[]
  submitAttempts: { outcome: string; request: { items?: { productId: string; quantity: number }[] } }[]
}

/** What customers, staff and the supplier do; numbers choose among the products and orders that there are. */
type Step =
  | { do: 'place'; lines: { product: number; quantity: number }[] }
  | { do: 'status'; order: number; to: string }
  | { do: 'add'; order: number; product: number; quantity: number }
  | { do: 'remove'; order: number; item: number }
  | { do: 'delivery'; order: number; cost: number }
  | { do: 'submit'; order: number; fault: 'none' | 'refuse' | 'fail' | 'lose' }
  | { do: 'delete'; order: number }
  | { do: 'age'; order: number }
  | { do: 'sync'; full: boolean }

const STOCK = [3, 5, 8]
const nat = fc.nat({ max: 1000 })
const quantity = fc.integer({ min: 1, max: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      lines: fc.array(fc.record({ product: nat, quantity }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('status' as const),
      order: nat,
      to: fc.constantFrom('NEW', 'PROCESSING', 'SENT', 'CANCELLED', 'COMPLETED', 'ARCHIVED'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('add' as const), order: nat, product: nat, quantity }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), order: nat, item: nat }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('delivery' as const),
      order: nat,
      cost: fc.integer({ min: 0, max: 99_999 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      order: nat,
      fault: fc.constantFrom('none' as const, 'none' as const, 'refuse' as const, 'fail' as const, 'lose' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), order: nat }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('age' as const), order: nat }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sync' as const), full: fc.boolean() }) },
)
/** Steps of one batch are taken at the same time. */
const scenario = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })

let world: SupplierShop
let token: string
let runs = 0

beforeAll(async () => {
  world = await startSupplierShop({ RATE_LIMIT_ORDERS: '0' })
  token = await loginAs(world.shop, 'SUPER_ADMIN')
  // However slow the machine is.
  world.shop.deps.orderQueue = createBoundedQueue({ concurrency: 4, maxWaiting: 100, timeoutMs: 60_000 })
})
afterAll(() => world.close())

/** Products and orders of one scenario, and what must hold whatever happened. */
async function createStage() {
  const { shop, catalogue, supplier } = world
  const names = STOCK.map((_, index) => `run-${runs}-${index}`)
  const productIds: number[] = []
  for (const [index, stock] of STOCK.entries()) {
    const [externalId, price] = [names[index] ?? '', 10.1 + index]
    catalogue.upsertProduct({ id: externalId, name: `Товар ${externalId}`, price, stock })
    productIds.push(await createProduct(shop.deps.db, { externalId, price: `${price}`, stock }))
  }
  runs += 1
  const orderIds: number[] = []
  const pick = <T>(list: T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

  /** Nothing of an order that was deleted. */
  async function read(id: number): Promise<Order[]> {
    const answer = await shop.call('GET', `/api/v1/admin/orders/${id}`, { token })
    expect([200, 404]).toContain(answer.status)
    return answer.status === 200 ? [JSON.parse(answer.text)] : []
  }

  async function take(step: Step): Promise<void> {
    if (step.do === 'sync') return sync(step.full)
    if (step.do === 'place') return place(step.lines)
    const id = pick(orderIds, step.order)
    if (id === undefined) return
    const path = `/api/v1/admin/orders/${id}`
    if (step.do === 'status') return send('PATCH', path, { status: step.to })
    if (step.do === 'delivery') return send('PATCH', `${path}/delivery-cost`, { deliveryCost: step.cost / 100 })
    if (step.do === 'add') {
      return send('POST', `${path}/items`, {
        productId: pick(productIds, step.product),
        quantity: step.quantity,
      })
    }
    if (step.do === 'delete') return send('DELETE', path)
    if (step.do === 'age') return age(id)
    if (step.do === 'remove') {
      const item = pick((await read(id))[0]?.items ?? [], step.item)
      // The order was deleted meanwhile.
      if (item === undefined) return
      return send('DELETE', `${path}/items/${item.id}`)
    }
    if (step.fault === 'refuse') supplier.faults.set({ failNext: 1, status: 400, path: 'CreateOrder' })
    if (step.fault === 'fail') supplier.faults.set({ failNext: 1, status: 503, path: 'CreateOrder' })
    if (step.fault === 'lose') supplier.faults.set({ loseAnswerNext: 1 })
    return send('POST', `${path}/submit`)
  }

  /** Whatever is refused is refused for a reason: no fault of ours, and nothing hangs. */
  async function send(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await shop.call(method, path, body === undefined ? { token } : { token, body })
    expect([200, 201, 204, 404, 409]).toContain(answer.status)
  }

  async function place(lines: { product: number; quantity: number }[]): Promise<void> {
    const items = lines.map((line) => ({
      productId: pick(productIds, line.product),
      quantity: line.quantity,
    }))
    const body = { customerName: 'Анна', customerPhone: '+7 900 000-00-00', items }
    const answer = await shop.call('POST', '/api/v1/orders', { body })
    expect([201, 409]).toContain(answer.status)
    if (answer.status === 201) orderIds.push(Number(Reflect.get(Object(answer.body), 'id')))
  }

  async function age(id: number): Promise<void> {
    const created_at = new Date('2020-01-01')
    await shop.deps.db.updateTable('orders').set({ created_at }).where('id', '=', id).execute()
    await releaseStaleOrders(shop.deps)
  }

  async function sync(full: boolean): Promise<void> {
    if (full) await shop.call('POST', '/admin/sync/reset', { token })
    const answer = await shop.call('POST', '/admin/sync/run?wait=true', { token })
    expect([200, 409]).toContain(answer.status)
  }

  /** Nothing is sold twice: what open orders hold and what the supplier has accepted was there at the beginning. */
  async function expectNothingOversold(): Promise<void> {
    const lines = await shop.deps.db
      .selectFrom('order_items')
      .innerJoin('orders', 'orders.id', 'order_items.order_id')
      .select(['order_id', 'status', 'product_id', 'quantity', 'holding'])
      .where('product_id', 'in', productIds)
      .where('status', 'in', ['NEW', 'PROCESSING', 'ERROR'])
      .execute()
    for (const own of Map.groupBy(lines, ({ order_id }) => order_id).values()) {
      // All or none, and none only of those that nobody took up.
      expect(new Set(own.map(({ holding }) => holding)).size).toBe(1)
      if (!own[0]?.holding) expect(own[0]?.status).toBe('NEW')
    }
    const { rows: unlikeTheirLines } = await sql`
      select id from orders
      where items_total <> (select sum(line_total) from order_items where order_id = orders.id)`.execute(shop.deps.db)
    expect(unlikeTheirLines).toEqual([])
    for (const [index, productId] of productIds.entries()) {
      const held = lines
        .filter(({ product_id, holding }) => product_id === productId && holding)
        .filter(({ order_id }) => !acceptedReferences().includes(String(order_id)))
        .reduce((sum, { quantity }) => sum + quantity, 0)
      const accepted = supplier.orders
        .flatMap(({ items }) => items.filter((item) => item.productId === names[index]))
        .reduce((sum, item) => sum + item.quantity, 0)
      expect(held + accepted).toBeLessThanOrEqual(STOCK[index] ?? 0)
    }
  }

  /** As long as nobody knows what the supplier has, an order stays what he was sent. */
  function expectLocked({ items, submitAttempts }: Order): void {
    const last = submitAttempts.findLast(({ outcome }) => outcome !== 'REFUSED')
    if (last?.outcome !== 'UNCLEAR') return
    const sent = last.request.items?.map(({ productId, quantity }) => [names.indexOf(productId), quantity])
    expect(items.map(({ productId, quantity }) => [productIds.indexOf(productId), quantity])).toEqual(sent)
  }

  function acceptedReferences(): string[] {
    return supplier.orders.map(({ reference }) => String(reference))
  }

  function expectConsistent(order: Order): void {
    const cents = (amount: number) => Math.round(amount * 100)
    for (const item of order.items) expect(cents(item.lineTotal)).toBe(cents(item.priceAtOrder) * item.quantity)
    const sum = order.items.reduce((total, item) => total + cents(item.lineTotal), 0)
    expect([cents(order.itemsTotal), cents(order.total)]).toEqual([sum, sum + cents(order.deliveryCost)])
    expect(order.items.length).toBeGreaterThan(0)
    const path = [null, ...order.history.map(({ toStatus }) => toStatus)]
    expect(order.history.map(({ fromStatus }) => fromStatus)).toEqual(path.slice(0, -1))
    expect(path.at(-1)).toBe(order.status)
    if (order.externalId !== null) expect(supplier.orders.map(({ id }) => id)).toContain(order.externalId)
  }

  return {
    async play(batch: Step[]): Promise<void> {
      await Promise.all(batch.map(take))
      supplier.faults.reset()
      const orders = (await Promise.all(orderIds.map(read))).flat()
      for (const order of orders) {
        expectConsistent(order)
        expectLocked(order)
      }
      expect(new Set(acceptedReferences()).size).toBe(supplier.orders.length)
      await expectNothingOversold()
    },
  }
}

test('never oversells, duplicates, miscounts or loses anything under concurrency', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (batches) => {
      const stage = await createStage()
      for (const batch of batches) await stage.play(batch)
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 6), endOnFailure: true },
  )
})
