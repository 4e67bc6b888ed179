import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { databaseTime, releaseListed } from '../../../db/queries/stock/reservations.ts'
import { createProduct } from '../../support/factories.ts'
import { startTestShop } from '../../support/shop.ts'

test('what was sent while the clock was ahead is released by the next reading of its stock', async () => {
  const shop = await startTestShop()
  onTestFinished(() => shop.close())
  const { db } = shop.deps
  const line = {
    product_id: await createProduct(db, { externalId: 'p1' }),
    product_external_id: 'p1',
    product_name: 'Дрель',
    price_at_order: '10.00',
    quantity: 3,
  }
  const inAYear = sql<Date>`clock_timestamp() + interval '1 year'`
  const order = { customer_name: 'Анна', customer_phone: '+7 900', status: 'SENT', sent_at: inAYear } as const
  const { id } = await db.insertInto('orders').values(order).returning('id').executeTakeFirstOrThrow()
  await db
    .insertInto('order_items')
    .values([
      { ...line, order_id: id },
      // Of a deleted order.
      { ...line, sent_at: inAYear },
    ])
    .execute()
  const askedAt = await databaseTime(db)
  await db.transaction().execute((trx) => releaseListed(trx, ['p1'], askedAt))
  const lines = await db.selectFrom('order_items').select(['order_id', 'holding']).execute()
  expect(lines).toEqual([{ order_id: id, holding: false }])
})
