import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { ScrapeTaskRow } from '../../tables/scraping.ts'

/** Of a task that was taken: whoever takes it again counts one attempt more, so this is the holder's token. */
export type HeldTask = Pick<ScrapeTaskRow, 'id' | 'product_id' | 'attempts'>

/** Lets go of tasks whose holder died. @returns how many are due again, and how many had their last attempt */
export async function releaseLostTasks(
  db: Db,
  mostAttempts: number,
): Promise<{ pending: number; failed: number }> {
  const { rows } = await sql<{ pending: number; failed: number }>`
    with lost as (
      update gbstore_scrape_queue set
        status = case when attempts < ${mostAttempts} then 'PENDING' else 'FAILED' end,
        error_message = 'The process that worked on it ended', leased_until = null, updated_at = now()
      where status = 'IN_PROGRESS' and leased_until < now()
      returning status
    )
    select count(*) filter (where status = 'PENDING') as pending,
      count(*) filter (where status = 'FAILED') as failed
    from lost`.execute(db)
  return rows[0] ?? { pending: 0, failed: 0 }
}

/** Takes what has been due the longest; nobody else gets it for `leaseMs`. */
export async function claimTasks(db: Db, most: number, leaseMs: number): Promise<ScrapeTaskRow[]> {
  const { rows } = await sql<ScrapeTaskRow>`
    with due as materialized (
      select id from gbstore_scrape_queue
      where status = 'PENDING' and next_attempt_at <= now()
      order by next_attempt_at, id limit ${most} for update skip locked
    )
    update gbstore_scrape_queue q set
      status = 'IN_PROGRESS', attempts = q.attempts + 1, leased_until = ${fromNow(leaseMs)}, updated_at = now()
    from due where q.id = due.id
    returning q.*`.execute(db)
  return rows.sort((a, b) => a.next_attempt_at.getTime() - b.next_attempt_at.getTime() || a.id - b.id)
}

/** Keeps tasks from being taken by others. */
export async function extendLeases(db: Db, tasks: HeldTask[], leaseMs: number): Promise<void> {
  await sql`
    update gbstore_scrape_queue q set leased_until = ${fromNow(leaseMs)}
    from unnest(${tasks.map(({ id }) => id)}::int[], ${tasks.map(({ attempts }) => attempts)}::int[]) held (id, attempts)
    where q.id = held.id and q.attempts = held.attempts and q.status = 'IN_PROGRESS'`.execute(db)
}

/** Ends a task, whose former ones are forgotten: of each product the last word is kept. */
export async function finishTask(
  db: Db,
  task: HeldTask,
  { status, message }: { status: 'DONE' | 'FAILED'; message: string | null },
): Promise<void> {
  await sql`
    with finished as (
      update gbstore_scrape_queue
      set status = ${status}, error_message = ${message}, leased_until = null, updated_at = now()
      where ${isHeld(task)} returning id, product_id
    )
    delete from gbstore_scrape_queue q using finished f
    where q.product_id = f.product_id and q.id < f.id and q.status in ('DONE', 'FAILED')`.execute(db)
}

/** The attempt failed; the next one is in `delayMs`. */
export async function postponeTask(db: Db, task: HeldTask, delayMs: number, message: string): Promise<void> {
  await sql`
    update gbstore_scrape_queue
    set status = 'PENDING', error_message = ${message}, leased_until = null,
      next_attempt_at = ${fromNow(delayMs)}, updated_at = now()
    where ${isHeld(task)}`.execute(db)
}

/** Gives tasks back as they were taken: the attempts don't count. */
export async function giveTasksBack(db: Db, tasks: HeldTask[]): Promise<void> {
  await sql`
    update gbstore_scrape_queue q
    set status = 'PENDING', attempts = q.attempts - 1, leased_until = null, updated_at = now()
    from unnest(${tasks.map(({ id }) => id)}::int[], ${tasks.map(({ attempts }) => attempts)}::int[]) held (id, attempts)
    where q.id = held.id and q.attempts = held.attempts and q.status = 'IN_PROGRESS'`.execute(db)
}

/** What is known of where a product's images are. */
export type ImageSources = {
  name: string
  page_url: string | null
  feed_page_url: string | null
  feed_pictures: string[] | null
  override_mode: 'REPLACE' | 'APPEND' | null
  override_urls: string[] | null
}

export function findImageSources(db: Db, productId: number): Promise<ImageSources | undefined> {
  return db
    .selectFrom('products as p')
    .leftJoin('product_feed_data as f', 'f.product_id', 'p.id')
    .leftJoin('product_image_overrides as o', 'o.product_id', 'p.id')
    .select([
      'p.name',
      'p.page_url',
      'f.page_url as feed_page_url',
      'f.pictures as feed_pictures',
      'o.mode as override_mode',
      'o.urls as override_urls',
    ])
    .where('p.id', '=', productId)
    .executeTakeFirst()
}

function isHeld({ id, attempts }: HeldTask) {
  return sql`id = ${id} and attempts = ${attempts} and status = 'IN_PROGRESS'`
}

function fromNow(ms: number) {
  return sql<Date>`now() + ${ms}::float8 * interval '1 millisecond'`
}
