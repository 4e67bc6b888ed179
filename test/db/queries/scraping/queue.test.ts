import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDatabase } from '../../../../db/database.ts'
import { retryFailedTasks } from '../../../../db/queries/scraping/queue.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { createProduct } from '../../../support/factories.ts'

let db: Db
let close: () => Promise<void>
beforeAll(async () => {
  const database = await createTestDatabase()
  const opened = openDatabase(database.url, () => {})
  db = opened.db
  close = async () => {
    await opened.close()
    await database.drop()
  }
})
afterAll(() => close())

test('retries the newest failed task of each product, unless another is active', async () => {
  const products = [await createProduct(db), await createProduct(db), await createProduct(db)]
  const [twice = 0, active = 0, done = 0] = products
  const add = async (product_id: number, status: 'FAILED' | 'PENDING' | 'DONE') => {
    const values = { product_id, status, attempts: 5 }
    const row = await db.insertInto('gbstore_scrape_queue').values(values).returning('id').executeTakeFirst()
    return row?.id
  }
  await add(twice, 'FAILED')
  const newest = await add(twice, 'FAILED')
  await add(active, 'FAILED')
  await add(active, 'PENDING')
  await add(done, 'FAILED')
  await add(done, 'DONE')
  expect(await db.transaction().execute((trx) => retryFailedTasks(trx))).toBe(1)
  const restarted = db.selectFrom('gbstore_scrape_queue').select(['id', 'status']).where('attempts', '=', 0)
  expect(await restarted.execute()).toEqual([{ id: newest, status: 'PENDING' }])
})
