import { sql } from 'kysely'
import type { Trx } from '../database.ts'
import { LOCKS } from '../locks.ts'
import type { SlugKind } from '../tables/slug-history.ts'

/** Work of one transaction at a time. */
export type Work = 'firstAdmin' | 'productRows' | 'categoryTree' | 'categoryVisibility' | `${SlugKind}Slugs`

/** Acquires the lock of this work until the transaction ends; LOCKS says what each is for. */
export async function lockWork(trx: Trx, work: Work): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS[work]}::int)`.execute(trx)
}
