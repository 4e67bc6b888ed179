import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, sorted } from '../../paging.ts'
import type { SCRAPE_STATUSES, ScrapeTaskRow } from '../../tables/scraping.ts'
import { literally } from '../like-pattern.ts'

type Status = (typeof SCRAPE_STATUSES)[number]
export type NamedTask = ScrapeTaskRow & { product_name: string }

/** `search`: part of the product's name or the page's address, in any case. */
export type TaskFilter = { status: Status | undefined; search: string | undefined }

export function listTasks(
  db: Db,
  { status, search }: TaskFilter,
  sort: Sort<keyof ScrapeTaskRow>,
  page: PageRequest,
): Promise<PageOf<NamedTask>> {
  let query = db.selectFrom('gbstore_scrape_queue').selectAll().select(nameOfProduct('gbstore_scrape_queue'))
  if (status !== undefined) query = query.where('status', '=', status)
  if (search !== undefined) query = query.where(matches(search, 'product_page_url'))
  return readPage(sorted(query, sort), page)
}

/** Each of the two conditions has an index on letter groups. */
export function matches(search: string, column: 'product_page_url' | 'image_url'): RawBuilder<boolean> {
  const pattern = `%${literally(search.toLowerCase())}%`
  return sql<boolean>`(lower(${sql.ref(column)}) like ${pattern} or product_id = any(array(
    select p.id from products p where p.search_name like ${pattern.replaceAll('ё', 'е')})))`
}

export function nameOfProduct(
  table: 'gbstore_scrape_queue' | 'gbstore_image_download_log',
): AliasedRawBuilder<string, 'product_name'> {
  return sql<string>`(select p.name from products p where p.id = ${sql.ref(`${table}.product_id`)})`.as(
    'product_name',
  )
}

/** Statuses without any task are absent. */
export async function countTasks(db: Db): Promise<{ status: Status; count: number }[]> {
  return db
    .selectFrom('gbstore_scrape_queue')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
}

export function findTask(db: Db, id: number): Promise<NamedTask | undefined> {
  return db
    .selectFrom('gbstore_scrape_queue')
    .selectAll()
    .select(nameOfProduct('gbstore_scrape_queue'))
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The newest of the product's tasks; of an active one there is only one, and none is newer. */
export function findTaskOfProduct(db: Db, productId: number): Promise<NamedTask | undefined> {
  return db
    .selectFrom('gbstore_scrape_queue')
    .selectAll()
    .select(nameOfProduct('gbstore_scrape_queue'))
    .where('product_id', '=', productId)
    .orderBy(sql`status in ('PENDING', 'IN_PROGRESS')`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Whether there is such a product, which can't be deleted before the transaction ends. */
export async function lockProduct(trx: Trx, productId: number): Promise<boolean> {
  const found = await trx
    .selectFrom('products')
    .select('id')
    .where('id', '=', productId)
    .forKeyShare()
    .execute()
  return found.length > 0
}

type Wish = { productId: number; readsPage: boolean; pageUrl: string | null; imageUrls: string[] }

/**
 * Asks for images of a product, at once. What is asked for in a task that still waits is added to it.
 * @returns the task; undefined when one is being worked on, which is left alone
 */
export async function enqueueProduct(
  trx: Trx,
  { productId, readsPage, pageUrl, imageUrls }: Wish,
): Promise<number | undefined> {
  const wish = sql`select ${productId}::int, ${readsPage}::boolean, ${pageUrl}::text, ${imageUrls}::text[]`
  const { rows } = await enqueue(trx, wish)
  return rows[0]?.id
}

/** Asks again for the failed downloads, all or one. @returns for how many; those of tasks under way are left alone */
export async function enqueueFailedDownloads(trx: Trx, downloadId: number | null): Promise<number> {
  const asked = downloadId === null ? sql`l.status = 'FAILED'` : sql`l.id = ${downloadId}`
  // Locked, so that none of the products is deleted meanwhile.
  const wishes = sql`
    select product_id, false, null::text, array_agg(image_url order by position, id)
    from (
      select l.* from gbstore_image_download_log l join products p on p.id = l.product_id
      where ${asked} order by l.product_id for key share of p
    ) failed
    group by product_id`
  const { rows } = await enqueue(trx, wishes)
  const { rows: counted } = await sql<{ downloads: number }>`
    select count(*) as downloads from gbstore_image_download_log l
    where ${asked} and product_id = any(${rows.map((row) => row.product_id)}::int[])`.execute(trx)
  return counted[0]?.downloads ?? 0
}

function enqueue(trx: Trx, wishes: RawBuilder<unknown>) {
  return sql<{ id: number; product_id: number }>`
    insert into gbstore_scrape_queue as q (product_id, reads_page, product_page_url, image_urls)
    ${wishes}
    on conflict (product_id) where status in ('PENDING', 'IN_PROGRESS') do update set
      reads_page = q.reads_page or excluded.reads_page,
      product_page_url = coalesce(excluded.product_page_url, q.product_page_url),
      image_urls = array(
        select u.url from unnest(q.image_urls || excluded.image_urls) with ordinality u (url, n)
        group by u.url order by min(u.n)),
      attempts = 0, next_attempt_at = least(q.next_attempt_at, now()), updated_at = now()
    where q.status = 'PENDING'
    returning q.id, q.product_id`.execute(trx)
}

/** Active products without images, unless a task waits for them. @param untried leaves out those that ever had one */
export async function enqueueImageless(trx: Trx, { untried }: { untried: boolean }): Promise<number> {
  const active = untried ? sql`true` : sql`q.status in ('PENDING', 'IN_PROGRESS')`
  const { numAffectedRows } = await sql`
    insert into gbstore_scrape_queue (product_id)
    select p.id from products p
    where p.active
      and not exists (select from product_images i where i.product_id = p.id)
      and not exists (select from gbstore_scrape_queue q where q.product_id = p.id and ${active})
    order by p.id
    for key share of p
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** A task that ended, or waits for its next attempt, is due now, with all attempts before it. */
export async function restartTask(trx: Trx, id: number): Promise<void> {
  await sql`
    update gbstore_scrape_queue
    set status = 'PENDING', attempts = 0, next_attempt_at = now(), updated_at = now()
    where id = ${id}`.execute(trx)
}

export async function lockTask(trx: Trx, id: number): Promise<ScrapeTaskRow | undefined> {
  return trx
    .selectFrom('gbstore_scrape_queue')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** The last failed task of each product for which none waits. @returns how many */
export async function restartFailedTasks(trx: Trx): Promise<number> {
  const { numAffectedRows } = await sql`
    update gbstore_scrape_queue q
    set status = 'PENDING', attempts = 0, next_attempt_at = now(), updated_at = now()
    where q.status = 'FAILED' and not exists (
      select from gbstore_scrape_queue o
      where o.product_id = q.product_id and o.id <> q.id
        and (o.status in ('PENDING', 'IN_PROGRESS') or o.id > q.id))`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
