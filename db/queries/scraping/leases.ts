import { sql } from 'kysely'
import type { TaskOutcome } from '../../../src/rules/scraping/outcomes.ts'
import type { Db, Trx } from '../../database.ts'
import type { ScrapeTaskRow } from '../../tables/scraping.ts'
import { fromNow } from '../expressions.ts'

/** A claimed task. Each claim increments `attempts`, so the pair identifies the claim. */
export type ClaimedTask = Pick<ScrapeTaskRow, 'id' | 'attempts'>

/** Requeues tasks whose lease has expired, or fails them after their last attempt. @returns their number */
export async function requeueExpiredTasks(db: Db, maxAttempts: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update gbstore_scrape_queue set
      status = case when attempts < ${maxAttempts} then 'PENDING' else 'FAILED' end,
      error_message = 'The process running the task ended', leased_until = null, updated_at = now()
    where status = 'IN_PROGRESS' and leased_until < now()`.execute(db)
  return Number(numAffectedRows)
}

/** Claims the task that has been due longest. */
export async function claimTask(db: Db, leaseMs: number): Promise<ScrapeTaskRow | undefined> {
  const { rows } = await sql<ScrapeTaskRow>`
    update gbstore_scrape_queue set
      status = 'IN_PROGRESS', attempts = attempts + 1, leased_until = ${fromNow(leaseMs)}, updated_at = now()
    where id = (
      select id from gbstore_scrape_queue where status = 'PENDING' and next_attempt_at <= now()
      order by next_attempt_at, id limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0]
}

export async function extendLease(db: Db, task: ClaimedTask, leaseMs: number): Promise<void> {
  await sql`
    update gbstore_scrape_queue q set leased_until = ${fromNow(leaseMs)} where ${isClaimed(task)}`.execute(db)
}

/** The task is no longer this process's. */
export class ClaimLostError extends Error {}

/**
 * Keeps others from claiming a task until the transaction ends.
 * @throws ClaimLostError when its product was deleted, or another process has claimed it since, after a pause of this one
 *   that was longer than the lease
 */
export async function lockClaim(trx: Trx, task: ClaimedTask): Promise<void> {
  const { rows } = await sql`select from gbstore_scrape_queue q where ${isClaimed(task)} for share`.execute(trx)
  if (rows.length === 0) throw new ClaimLostError('The product was deleted, or another process has claimed the task')
}

/** Records how an attempt ended. A task that ends with it replaces the product's earlier ones. */
export async function endAttempt(trx: Trx, task: ClaimedTask, outcome: TaskOutcome): Promise<void> {
  const { status, message } = outcome
  const nextAttempt = status === 'PENDING' ? fromNow(outcome.delayMs) : sql`q.next_attempt_at`
  await sql`
    with ended as (
      update gbstore_scrape_queue q
      set status = ${status}, error_message = ${message}, leased_until = null, next_attempt_at = ${nextAttempt},
        updated_at = now()
      where ${isClaimed(task)} returning q.id, q.product_id, q.status
    )
    delete from gbstore_scrape_queue q using ended e
    where q.product_id = e.product_id and q.id < e.id and e.status <> 'PENDING'
      and q.status in ('DONE', 'FAILED')`.execute(trx)
}

/** Returns a claimed task to the queue without counting the attempt. */
export async function releaseTask(db: Db, task: ClaimedTask): Promise<void> {
  await sql`
    update gbstore_scrape_queue q
    set status = 'PENDING', attempts = q.attempts - 1, leased_until = null, updated_at = now()
    where ${isClaimed(task)}`.execute(db)
}

/** Whether no other process has claimed the task `q` since. */
const isClaimed = ({ id, attempts }: ClaimedTask) =>
  sql`q.id = ${id} and q.attempts = ${attempts} and q.status = 'IN_PROGRESS'`
