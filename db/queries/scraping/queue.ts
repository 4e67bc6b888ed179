import { type Expression, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Tables, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import { escapeLike } from '../expressions.ts'

export type NamedTask = NonNullable<Awaited<ReturnType<typeof findTaskOfProduct>>>

export function listTasks(db: Db, query: Filter & PageRequest) {
  return readPage(filtered(namedTasks(db), query, 'product_page_url').orderBy('id', 'desc'), query)
}

/** `search`: part of the URL, in any case. `productIds`: of the products whose names it finds. */
export type Filter = { status?: string[] | undefined; search?: string | undefined; productIds: number[] }

/** Filters a list of tasks or downloads. URLs have a trigram index. */
export function filtered<Table extends keyof Tables, Row>(
  all: SelectQueryBuilder<Tables, Table, Row>,
  { status, search, productIds }: Filter,
  url: 'product_page_url' | 'image_url',
): SelectQueryBuilder<Tables, Table, Row> {
  const query = status === undefined ? all : all.where(sql<boolean>`status = any(${status}::text[])`)
  const text = search?.trim().toLowerCase()
  if (!text) return query
  const pattern = `%${escapeLike(text)}%`
  return query.where(sql<boolean>`(lower(${sql.ref(url)}) like ${pattern} or product_id = any(${productIds}::int[]))`)
}

export const PRODUCT_NAME = sql<string>`(select p.name from products p where p.id = product_id)`.as('product_name')

export function countTasks(db: Db) {
  return db
    .selectFrom('gbstore_scrape_queue')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('status', '=', 'PENDING').as('PENDING'),
      fn.countAll<number>().filterWhere('status', '=', 'IN_PROGRESS').as('IN_PROGRESS'),
      fn.countAll<number>().filterWhere('status', '=', 'DONE').as('DONE'),
      fn.countAll<number>().filterWhere('status', '=', 'FAILED').as('FAILED'),
    ])
    .executeTakeFirstOrThrow()
}

/** The product's active task, or else its newest one. */
export function findTaskOfProduct(db: Db, productId: number) {
  return namedTasks(db)
    .where('product_id', '=', productId)
    .orderBy(sql`status in ('PENDING', 'IN_PROGRESS')`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export function lockTask(trx: Trx, id: number) {
  return trx
    .selectFrom('gbstore_scrape_queue')
    .select(['product_id', 'status'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

function namedTasks(db: Db) {
  return db.selectFrom('gbstore_scrape_queue').selectAll().select(PRODUCT_NAME)
}

type NewTask = { productId: number; readsPage: boolean; pageUrl: string | null; imageUrls: string[] }

/**
 * Enqueues a product. A pending task takes over the new URLs and becomes due at once.
 * @returns false when the product's task is in progress, which is left alone
 */
export async function enqueueProduct(
  trx: Trx,
  { productId, readsPage, pageUrl, imageUrls }: NewTask,
): Promise<boolean> {
  const task = trx.selectNoFrom(({ val }) => [
    val(productId).as('product_id'),
    val(readsPage).as('reads_page'),
    val(pageUrl).as('product_page_url'),
    val(imageUrls).as('image_urls'),
  ])
  return (await enqueue(trx, task)).length > 0
}

/**
 * Enqueues one download, or all failed ones.
 * @returns the number of downloads; products with a task in progress are skipped
 */
export async function enqueueDownloads(trx: Trx, downloadId: number | null): Promise<number> {
  const all = trx.selectFrom('gbstore_image_download_log as l')
  const selected = downloadId === null ? all.where('l.status', '=', 'FAILED') : all.where('l.id', '=', downloadId)
  // The lock keeps the products from being deleted meanwhile.
  const locked = selected
    .innerJoin('products as p', 'p.id', 'l.product_id')
    .select(['l.id', 'l.product_id', 'l.image_url', 'l.position'])
    .orderBy('l.product_id')
    .forKeyShare('p')
  const tasks = trx
    .selectFrom(locked.as('locked'))
    .select(({ fn, lit }) => [
      'product_id',
      lit(false).as('reads_page'),
      lit(null).as('product_page_url'),
      fn.agg<string[]>('array_agg', ['image_url']).orderBy('position').orderBy('id').as('image_urls'),
    ])
    .groupBy('product_id')
  const products = await enqueue(trx, tasks)
  const { downloads } = await selected
    .select(({ fn }) => fn.countAll<number>().as('downloads'))
    .where('l.product_id', '=', sql<number>`any(${products}::int[])`)
    .executeTakeFirstOrThrow()
  return downloads
}

type TaskToEnqueue = { product_id: number; reads_page: boolean; product_page_url: string | null; image_urls: string[] }

/** @returns the products whose task is new or has taken over the URLs */
async function enqueue(trx: Trx, tasks: Expression<TaskToEnqueue>): Promise<number[]> {
  const rows = await trx
    .insertInto('gbstore_scrape_queue')
    .columns(['product_id', 'reads_page', 'product_page_url', 'image_urls'])
    .expression(tasks)
    .onConflict((conflict) =>
      conflict
        .column('product_id')
        .where(IS_ACTIVE)
        .doUpdateSet(({ fn }) => ({
          reads_page: sql<boolean>`gbstore_scrape_queue.reads_page or excluded.reads_page`,
          product_page_url: fn.coalesce('excluded.product_page_url', 'gbstore_scrape_queue.product_page_url'),
          image_urls: sql`array(
            select u.url
            from unnest(gbstore_scrape_queue.image_urls || excluded.image_urls) with ordinality u (url, n)
            group by u.url order by min(u.n))`,
          attempts: 0,
          next_attempt_at: sql`least(gbstore_scrape_queue.next_attempt_at, now())`,
          updated_at: sql`now()`,
        }))
        .where('gbstore_scrape_queue.status', '=', 'PENDING'),
    )
    .returning('gbstore_scrape_queue.product_id')
    .execute()
  return rows.map(({ product_id }) => product_id)
}

/** The condition of the unique index, which PostgreSQL doesn't recognise with parameters in a generic plan. */
const IS_ACTIVE = sql<boolean>`status in ('PENDING', 'IN_PROGRESS')`

/**
 * Enqueues active products that have neither an image nor an active task.
 * @param which `listed`: with a page or pictures in the feed
 * @returns the number of tasks
 */
export async function enqueueImageless(trx: Trx, which: 'all' | 'listed'): Promise<number> {
  const imageless = trx
    .selectFrom('products as p')
    .select('p.id')
    .where('p.active', '=', true)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('product_images as i').select('i.image_id').whereRef('i.product_id', '=', 'p.id'))),
    )
    .orderBy('p.id')
    .forKeyShare('p')
  const listed = imageless.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('product_feed_data as f')
        .select('f.product_id')
        .whereRef('f.product_id', '=', 'p.id')
        .where(({ eb, or }) =>
          or([
            eb('f.page_url', 'is not', null),
            eb('p.page_url', 'is not', null),
            eb('f.pictures', '<>', sql<string[]>`'{}'`),
          ]),
        ),
    ),
  )
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('gbstore_scrape_queue')
    .columns(['product_id'])
    .expression(which === 'listed' ? listed : imageless)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows)
}

const RESTARTED = {
  status: 'PENDING',
  attempts: 0,
  next_attempt_at: sql<Date>`now()`,
  updated_at: sql<Date>`now()`,
} as const

export async function retryTask(trx: Trx, id: number): Promise<void> {
  await trx.updateTable('gbstore_scrape_queue').set(RESTARTED).where('id', '=', id).execute()
}

/** Retries the latest failed task of each product without an active one. @returns the number of tasks */
export async function retryFailedTasks(trx: Trx): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('gbstore_scrape_queue as q')
    .set(RESTARTED)
    .where('q.status', '=', 'FAILED')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('gbstore_scrape_queue as o')
            .select('o.id')
            .whereRef('o.product_id', '=', 'q.product_id')
            .whereRef('o.id', '<>', 'q.id')
            .where(({ eb, or }) =>
              or([eb('o.status', 'in', ['PENDING', 'IN_PROGRESS']), eb('o.id', '>', eb.ref('q.id'))]),
            ),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
