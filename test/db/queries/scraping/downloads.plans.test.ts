import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listDownloads, listDownloadsOfProduct } from '../../../../db/queries/scraping/downloads.ts'
import { claimTask, requeueExpiredTasks } from '../../../../db/queries/scraping/leases.ts'
import { enqueueImageless, findTaskOfProduct, listTasks } from '../../../../db/queries/scraping/queue.ts'
import { createTestDatabase, vacuum } from '../../../support/database.ts'
import { createBrand, createCategory, createManyProducts } from '../../../support/factories.ts'
import { type OverheardDatabase, overhear, readsOf } from '../../../support/statements.ts'

// Five thousand products; four thousand of them with a task, each with three images in the log.
let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: OverheardDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  shop = overhear(database.url)
  const { db } = shop
  await createManyProducts(db, 5000, [await createCategory(db)], [await createBrand(db)])
  await sql`
    insert into gbstore_scrape_queue (product_id, product_page_url, status, next_attempt_at)
    select n, 'https://shop.example/p/' || md5(n::text),
      case when n % 20 = 0 then 'PENDING' when n % 7 = 0 then 'FAILED' else 'DONE' end,
      now() + (n % 3 - 1) * interval '1 hour'
    from generate_series(1, 4000) n`.execute(db)
  for (let position = 0; position < 3; position++) {
    await sql`
      insert into gbstore_image_download_log (product_id, image_url, status, position, last_attempt_at)
      select n, 'https://shop.example/i/' || md5((n + ${position}::int * 4000)::text) || '.jpg',
        case when n % 9 = 0 then 'FAILED' else 'SUCCESS' end, ${position}, now() - n * interval '1 second'
      from generate_series(1, 4000) n`.execute(db)
  }
  await vacuum(db, 'gbstore_scrape_queue', 'gbstore_image_download_log')
})
afterAll(async () => {
  await shop.close()
  await database.drop()
})

const page = { page: 0, size: 20, productIds: [7] }

test('claims due tasks by the index', async () => {
  const [plan] = await shop.plansOf((db) => claimTask(db, 1000))
  expect(readsOf(plan)).toContain('Index Scan gbstore_scrape_queue_due')
  const [lost] = await shop.plansOf((db) => requeueExpiredTasks(db, 5))
  expect(readsOf(lost)).not.toContain('Seq Scan gbstore_scrape_queue')
})

test('looks up the task and the log of a product by index', async () => {
  const [task] = await shop.plansOf((db) => findTaskOfProduct(db, 7))
  expect(readsOf(task).join()).toContain('gbstore_scrape_queue_product')
  const [log] = await shop.plansOf((db) => listDownloadsOfProduct(db, 7))
  expect(readsOf(log).join()).toContain('gbstore_image_download_log_key')
})

test('searches names and URLs by the trigram indexes', async () => {
  for (const search of ['сокол 1f0e3d', '1f0e3dad99']) {
    const [tasks] = await shop.plansOf((db) => listTasks(db, { search, ...page }))
    expect(readsOf(tasks)).toContain('Bitmap Index Scan gbstore_scrape_queue_page_trgm')
    const [log] = await shop.plansOf((db) => listDownloads(db, { search, ...page }))
    expect(readsOf(log)).toContain('Bitmap Index Scan gbstore_image_download_log_url_trgm')
  }
})

test('lists by index', async () => {
  const [plan] = await shop.plansOf((db) => listDownloads(db, page))
  expect(readsOf(plan)).toContain('Index Scan gbstore_image_download_log_attempt')
})

test('enqueues all products without an active task in one statement', async () => {
  const enqueued = await shop.db.transaction().execute((trx) => enqueueImageless(trx, 'all'))
  // A twentieth of the tasks is active.
  expect(enqueued).toBe(4800)
})
