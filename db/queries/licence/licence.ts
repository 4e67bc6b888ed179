import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { LicencePriceRow, LicenceTopupRow } from '../../tables/licence.ts'

/** Lists prices by start date. */
export function listPrices(db: Db): Promise<LicencePriceRow[]> {
  return db.selectFrom('license_prices').selectAll().orderBy('start_date').execute()
}

/** Lists top-ups, the newest first. */
export function listTopups(db: Db): Promise<LicenceTopupRow[]> {
  return db.selectFrom('license_topups').selectAll().orderBy('date', 'desc').orderBy('id', 'desc').execute()
}

/** Sums the top-ups up to a day, included, as decimal text. */
export async function sumTopups(db: Db, until: string): Promise<string> {
  const { sum } = await db
    .selectFrom('license_topups')
    .select(sql<string>`coalesce(sum(amount), 0)::numeric(20,2)`.as('sum'))
    .where('date', '<=', until)
    .executeTakeFirstOrThrow()
  return sum
}
