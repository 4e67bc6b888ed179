import { Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { connectionSettings, type Trx } from './database.ts'
import type { SlugKind } from './tables/catalogue.ts'

/** Keys of PostgreSQL's advisory locks. */
export const LOCKS = {
  // Work of one instance at a time, on a dedicated connection (tryLock).
  supplierSync: 7_120_001,
  xmlPipeline: 7_120_005,
  /** For migrations, on a connection of their own. */
  migrations: 7_120_006,
  // Work of one transaction at a time (lockWork).
  firstAdmin: 7_120_003,
  /** For allocating slugs. */
  productSlugs: 7_120_011,
  categorySlugs: 7_120_012,
  tagSlugs: 7_120_013,
  brandSlugs: 7_120_015,
  /**
   * For transactions that write many products (a page of the sync, a bulk edit, the deletion of a category), delete one, or
   * change a product's name or category: they lock rows of products, categories and orders in different orders, and would
   * deadlock. Take it before any of these rows. Other edits of a single product don't need it.
   */
  productRows: 7_120_014,
  /** For writes of categories, so that decisions rest on a stable tree. Take it before reading or locking any category. */
  categoryTree: 7_120_031,
  /** For runs of the auto-hide job, so that each sees what the run before it wrote. Take it before categoryTree. */
  categoryVisibility: 7_120_032,
  /** First part of a two-part key; the second is the id of the product whose stock is being reserved. */
  product: 7_120_021,
  /** The second part is the beginning of the bytes' hash. */
  imageBytes: 7_120_022,
} as const

/** Work of one transaction at a time. */
export type Work = 'firstAdmin' | 'productRows' | 'categoryTree' | 'categoryVisibility' | `${SlugKind}Slugs`

/** Acquires the locks of this work until the transaction ends, in the order given. */
export async function lockWork(trx: Trx, ...works: Work[]): Promise<void> {
  const keys = works.map((work) => LOCKS[work])
  await trx
    .selectFrom(sql<{ key: number }>`unnest(${keys}::int[])`.as<'work'>(sql`work (key)`))
    .select(({ fn }) => fn('pg_advisory_xact_lock', ['work.key']).as('lock'))
    .execute()
}

const QUERY_TIMEOUT_MS = 5000
const DISCONNECT_TIMEOUT_MS = 2000

/** Work that only one instance may do at a time. */
export type ExclusiveWork = 'supplierSync' | 'xmlPipeline'

/**
 * Tries to acquire the lock of some work on a dedicated connection, so that PostgreSQL releases it when the process dies. The
 * lock is lost with the connection, unnoticed: each transaction of the work has to check whether another process has begun it.
 * @returns null if the lock is taken
 */
export async function tryLock(databaseUrl: string, work: ExclusiveWork): Promise<{ release(): Promise<void> } | null> {
  const socket = new Socket()
  const client = new pg.Client({
    ...connectionSettings(databaseUrl, 0),
    query_timeout: QUERY_TIMEOUT_MS,
    stream: () => socket,
  })
  client.on('error', () => {})
  /** With a server that no longer responds, ending the connection would take a quarter of an hour. */
  async function disconnect(): Promise<void> {
    const timer = setTimeout(() => socket.destroy(), DISCONNECT_TIMEOUT_MS)
    await client.end().finally(() => clearTimeout(timer))
  }
  await client.connect()
  let isAcquired = false
  try {
    const { rows } = await client.query(`select where pg_try_advisory_lock(${LOCKS[work]})`)
    isAcquired = rows.length > 0
  } finally {
    if (!isAcquired) await disconnect()
  }
  return isAcquired ? { release: disconnect } : null
}
