import { type ExpressionBuilder, sql } from 'kysely'
import type { TaskOutcome } from '../../../src/rules/scraping/outcomes.ts'
import type { Db, Tables, Trx } from '../../database.ts'
import type { ScrapeTaskRow } from '../../tables/scraping.ts'
import { fromNow } from '../expressions.ts'

/** A claimed task. Each claim increments `attempts`, so the pair identifies the claim. */
export type ClaimedTask = Pick<ScrapeTaskRow, 'id' | 'attempts'>

/** Requeues tasks whose lease has expired, or fails them after their last attempt. @returns their number */
export async function requeueExpiredTasks(db: Db, maxAttempts: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('gbstore_scrape_queue')
    .set(({ eb }) => ({
      status: eb
        .case()
        .when('attempts', '<', maxAttempts)
        .then('PENDING' as const)
        .else('FAILED' as const)
        .end(),
      error_message: 'The process running the task ended',
      leased_until: null,
      updated_at: sql`now()`,
    }))
    .where('status', '=', 'IN_PROGRESS')
    .where('leased_until', '<', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Claims the task that has been due longest. */
export function claimTask(db: Db, leaseMs: number) {
  return db
    .updateTable('gbstore_scrape_queue')
    .set(({ eb }) => ({
      status: 'IN_PROGRESS',
      attempts: eb('attempts', '+', 1),
      leased_until: fromNow(leaseMs),
      updated_at: sql`now()`,
    }))
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('gbstore_scrape_queue')
        .select('id')
        .where('status', '=', 'PENDING')
        .where('next_attempt_at', '<=', sql<Date>`now()`)
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

export async function extendLease(db: Db, task: ClaimedTask, leaseMs: number): Promise<void> {
  await db
    .updateTable('gbstore_scrape_queue')
    .set({ leased_until: fromNow(leaseMs) })
    .where(isClaimed(task))
    .execute()
}

/** The task is no longer this process's. */
export class ClaimLostError extends Error {}

/**
 * Keeps others from claiming a task until the transaction ends.
 * @throws ClaimLostError when its product was deleted, or another process has claimed it since, after a pause of this one
 *   that was longer than the lease
 */
export async function lockClaim(trx: Trx, task: ClaimedTask): Promise<void> {
  const claimed = trx.selectFrom('gbstore_scrape_queue').select('id').where(isClaimed(task))
  if ((await claimed.forShare().executeTakeFirst()) === undefined)
    throw new ClaimLostError('The product was deleted, or another process has claimed the task')
}

/** Records how an attempt ended. A task that ends with it replaces the product's earlier ones. */
export async function endAttempt(trx: Trx, task: ClaimedTask, outcome: TaskOutcome): Promise<void> {
  const { status, message } = outcome
  const nextAttempt = status === 'PENDING' ? { next_attempt_at: fromNow(outcome.delayMs) } : {}
  await trx
    .with('ended', (db) =>
      db
        .updateTable('gbstore_scrape_queue')
        .set({ status, error_message: message, leased_until: null, updated_at: sql`now()`, ...nextAttempt })
        .where(isClaimed(task))
        .returning(['id', 'product_id', 'status']),
    )
    .deleteFrom('gbstore_scrape_queue as q')
    .using('ended as e')
    .whereRef('q.product_id', '=', 'e.product_id')
    .whereRef('q.id', '<', 'e.id')
    .where('e.status', '<>', 'PENDING')
    .where('q.status', 'in', ['DONE', 'FAILED'])
    .execute()
}

/** Returns a claimed task to the queue without counting the attempt. */
export async function releaseTask(db: Db, task: ClaimedTask): Promise<void> {
  await db
    .updateTable('gbstore_scrape_queue')
    .set(({ eb }) => ({
      status: 'PENDING',
      attempts: eb('attempts', '-', 1),
      leased_until: null,
      updated_at: sql`now()`,
    }))
    .where(isClaimed(task))
    .execute()
}

/** Whether no other process has claimed the task since. */
function isClaimed({ id, attempts }: ClaimedTask) {
  return ({ and }: ExpressionBuilder<Tables, 'gbstore_scrape_queue'>) => and({ id, attempts, status: 'IN_PROGRESS' })
}
