import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Tables, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import { onlyRow } from '../../prepared.ts'
import type { ScrapeTaskRow } from '../../tables/scraping.ts'
import { escapeLike } from '../expressions.ts'

export type NamedTask = ScrapeTaskRow & { product_name: string }

export function listTasks(db: Db, query: Filter & PageRequest): Promise<PageOf<NamedTask>> {
  return readPage(filtered(namedTasks(db), query, 'product_page_url').orderBy('id', 'desc'), query)
}

/** `search`: part of the product's name or the URL, in any case. */
export type Filter = { status?: string | undefined; search?: string | undefined }

/** Filters a list of tasks or downloads. URLs have a trigram index. */
export function filtered<Table extends keyof Tables, Row>(
  all: SelectQueryBuilder<Tables, Table, Row>,
  { status, search }: Filter,
  url: 'product_page_url' | 'image_url',
): SelectQueryBuilder<Tables, Table, Row> {
  const query = status === undefined ? all : all.where(sql<boolean>`status = ${status}`)
  const text = search?.trim().toLowerCase()
  if (!text) return query
  const pattern = `%${escapeLike(text)}%`
  return query.where(sql<boolean>`(lower(${sql.ref(url)}) like ${pattern} or product_id = any(array(
    select p.id from products p where p.search_name like ${pattern.replaceAll('ё', 'е')})))`)
}

export const PRODUCT_NAME = sql<string>`(select p.name from products p where p.id = product_id)`.as('product_name')

/** Counts the tasks or downloads of a product, or all. */
export async function countByStatus<Status extends string>(
  db: Db,
  table: 'gbstore_scrape_queue' | 'gbstore_image_download_log',
  statuses: readonly Status[],
  productId: number | null = null,
): Promise<Record<Status, number>> {
  const counts = statuses.map((status) => sql`count(*) filter (where status = ${status}) as ${sql.ref(status)}`)
  const { rows } = await sql<Record<Status, number>>`
    select ${sql.join(counts)} from ${sql.table(table)}
    where ${productId === null ? sql`true` : sql`product_id = ${productId}`}`.execute(db)
  return onlyRow(rows)
}

/** The product's active task, or else its newest one. */
export function findTaskOfProduct(db: Db, productId: number): Promise<NamedTask | undefined> {
  return namedTasks(db)
    .where('product_id', '=', productId)
    .orderBy(sql`status in ('PENDING', 'IN_PROGRESS')`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
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
  const task = sql`select ${productId}::int, ${readsPage}::boolean, ${pageUrl}::text, ${imageUrls}::text[]`
  return (await enqueue(trx, task)).length > 0
}

/**
 * Enqueues one download, or all failed ones.
 * @returns the number of downloads; products with a task in progress are skipped
 */
export async function enqueueDownloads(trx: Trx, downloadId: number | null): Promise<number> {
  const selected = downloadId === null ? sql`l.status = 'FAILED'` : sql`l.id = ${downloadId}`
  // The lock keeps the products from being deleted meanwhile.
  const tasks = sql`
    select product_id, false, null::text, array_agg(image_url order by position, id)
    from (
      select l.* from gbstore_image_download_log l join products p on p.id = l.product_id
      where ${selected} order by l.product_id for key share of p
    ) selected
    group by product_id`
  const { rows } = await sql<{ downloads: number }>`
    select count(*) as downloads from gbstore_image_download_log l
    where ${selected} and product_id = any(${await enqueue(trx, tasks)}::int[])`.execute(trx)
  return onlyRow(rows).downloads
}

/** @returns the products whose task is new or has taken over the URLs */
async function enqueue(trx: Trx, tasks: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ product_id: number }>`
    insert into gbstore_scrape_queue as q (product_id, reads_page, product_page_url, image_urls)
    ${tasks}
    on conflict (product_id) where status in ('PENDING', 'IN_PROGRESS') do update set
      reads_page = q.reads_page or excluded.reads_page,
      product_page_url = coalesce(excluded.product_page_url, q.product_page_url),
      image_urls = array(
        select u.url from unnest(q.image_urls || excluded.image_urls) with ordinality u (url, n)
        group by u.url order by min(u.n)),
      attempts = 0, next_attempt_at = least(q.next_attempt_at, now()), updated_at = now()
    where q.status = 'PENDING'
    returning q.product_id`.execute(trx)
  return rows.map(({ product_id }) => product_id)
}

const IS_LISTED = sql`exists (
  select from product_feed_data f
  where f.product_id = p.id and (f.page_url is not null or p.page_url is not null or f.pictures <> '{}'))`

/**
 * Enqueues active products that have neither an image nor an active task.
 * @param which `listed`: with a page or pictures in the feed
 * @returns the number of tasks
 */
export async function enqueueImageless(trx: Trx, which: 'all' | 'listed'): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into gbstore_scrape_queue (product_id)
    select p.id from products p
    where p.active and ${which === 'listed' ? IS_LISTED : sql`true`}
      and not exists (select from product_images i where i.product_id = p.id)
    order by p.id
    for key share of p
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows)
}

const RESTARTED = sql`status = 'PENDING', attempts = 0, next_attempt_at = now(), updated_at = now()`

export async function retryTask(trx: Trx, id: number): Promise<void> {
  await sql`update gbstore_scrape_queue set ${RESTARTED} where id = ${id}`.execute(trx)
}

/** Retries the latest failed task of each product without an active one. @returns the number of tasks */
export async function retryFailedTasks(trx: Trx): Promise<number> {
  const { numAffectedRows } = await sql`
    update gbstore_scrape_queue q set ${RESTARTED}
    where q.status = 'FAILED' and not exists (
      select from gbstore_scrape_queue o
      where o.product_id = q.product_id and o.id <> q.id
        and (o.status in ('PENDING', 'IN_PROGRESS') or o.id > q.id))`.execute(trx)
  return Number(numAffectedRows)
}
