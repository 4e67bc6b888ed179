import type { Updateable } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { insertAttempt } from '../../../db/queries/orders/attempts.ts'
import type { OrdersTable } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import { submitOrder } from '../../../src/services/orders/submit.ts'
import { numberedCatalogue } from '../../demo/client.ts'
import { createUser } from '../../support/accounts.ts'
import { untilWaiting } from '../../support/locks.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

// A process that was paused with the supplier's answer in its socket may have lost the order's lock.
let world: SupplierShop
let manager: UserRow

beforeAll(async () => {
  world = await startSupplierShop({}, numberedCatalogue(1))
  manager = await createUser(world.shop, 'MANAGER')
})
afterAll(() => world.close())

async function createOrder(externalId: string): Promise<number> {
  const { db } = world.shop.deps
  const { id } = await db
    .insertInto('orders')
    .values({ status: 'NEW', customer_name: 'Anna', customer_phone: '+7 900 000-00-00' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const line = { product_external_id: externalId, product_name: 'Drill', price_at_order: '1', quantity: 1 }
  await db
    .insertInto('order_items')
    .values({ order_id: id, ...line })
    .execute()
  return id
}

/** Submits an order of which `change` is made between the supplier's answer and its storing. */
async function submitWhile(id: number, change: (trx: Trx) => Promise<unknown>) {
  const { deps } = world.shop
  const { db } = deps
  const begun = Promise.withResolvers<Trx>()
  const release = Promise.withResolvers<void>()
  const { createOrder } = deps.supplier
  let holding: Promise<unknown> = Promise.resolve()
  const supplier: typeof deps.supplier = {
    ...deps.supplier,
    async createOrder(body, signal) {
      const answer = await createOrder(body, signal)
      const lock = (trx: Trx) => trx.selectFrom('orders').where('id', '=', id).forUpdate().execute()
      holding = db.transaction().execute(async (trx) => {
        await lock(trx)
        begun.resolve(trx)
        await release.promise
      })
      await begun.promise
      return answer
    },
  }
  const submitted = submitOrder({ ...deps, supplier }, manager, { id })
  const trx = await begun.promise
  await untilWaiting(db)
  await change(trx)
  release.resolve()
  await holding
  await submitted
  return db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

const set = (id: number, values: Updateable<OrdersTable>) => (trx: Trx) =>
  trx.updateTable('orders').set(values).where('id', '=', id).execute()

test.each(['CANCELLED', 'COMPLETED'] as const)(
  'an acceptance leaves an order %s meanwhile, and stores its number',
  async (status) => {
    const id = await createOrder('p1')
    const order = await submitWhile(id, set(id, { status }))
    expect(order).toMatchObject({ status, external_id: expect.any(String), submit_error: null })
  },
)

test('a refusal changes no order that is being submitted again', async () => {
  const id = await createOrder('unknown')
  const order = await submitWhile(id, (trx) => insertAttempt(trx, id, {}, new Date()))
  expect(order).toMatchObject({ status: 'NEW', submit_error: null, sent_at: expect.any(Date) })
})
