import { expect, onTestFinished, test } from 'vitest'
import { bulkDeleteOrders, correctOrder, previewBulkDelete } from '../../../src/services/orders/editing.ts'
import { createProduct } from '../../support/factories.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop } from '../../support/shop.ts'

const ADMIN = { id: null, name: 'Admin', email: null, role: 'ADMIN' } as const

test('a bulk delete judges the age of orders by the clock that dated them', async () => {
  const shop = await startTestShop()
  onTestFinished(() => shop.close())
  await placeOrder(shop, [{ productId: await createProduct(shop.deps.db), quantity: 1 }])
  const inAYear = new Date(Date.now() + 365 * 86_400_000)
  const deps = { ...shop.deps, now: () => inAYear }
  const { count, before } = await previewBulkDelete(deps, { days: 30 })
  expect([count, new Date(before) < new Date()]).toEqual([0, true])
  expect(await bulkDeleteOrders(deps, ADMIN, { days: 30 })).toEqual({ deleted: 0 })
})

test('a submission that a crash interrupted while the clock was ahead does not hold the order', async () => {
  const shop = await startTestShop()
  onTestFinished(() => shop.close())
  const { id } = await placeOrder(shop, [{ productId: await createProduct(shop.deps.db), quantity: 1 }])
  const attempt = async (started_at: Date) => {
    const values = { order_id: id, started_at, request: '{}', outcome: 'UNCLEAR', error: 'In progress' } as const
    await shop.deps.db.deleteFrom('order_submit_attempts').execute()
    await shop.deps.db.insertInto('order_submit_attempts').values(values).execute()
    return correctOrder(shop.deps, ADMIN, { id }, { adminComment: String(started_at) })
  }
  await expect(attempt(new Date())).rejects.toMatchObject({ code: 'ORDER_SUBMITTING' })
  const later = new Date(Date.now() + 365 * 86_400_000)
  expect(await attempt(later)).toMatchObject({ adminComment: String(later) })
})
