import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type {
  LicencePriceRow,
  LicencePricesTable,
  LicenceTopupRow,
  LicenceTopupsTable,
} from '../../tables/licence.ts'

/** The constraint that keeps periods from overlapping, for telling which conflict a write met. */
export const NO_OVERLAP = 'license_prices_no_overlap'

/** By their beginning. */
export function listPrices(db: Db): Promise<LicencePriceRow[]> {
  return db.selectFrom('license_prices').selectAll().orderBy('start_date').execute()
}

export function lockPrice(trx: Trx, id: number): Promise<LicencePriceRow | undefined> {
  return trx.selectFrom('license_prices').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertPrice(trx: Trx, values: Insertable<LicencePricesTable>): Promise<LicencePriceRow> {
  return trx.insertInto('license_prices').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined fields stay as they are. */
export function updatePrice(
  trx: Trx,
  id: number,
  values: Updateable<LicencePricesTable>,
): Promise<LicencePriceRow> {
  return trx
    .updateTable('license_prices')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deletePrice(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('license_prices').where('id', '=', id).execute()
}

/** The newest first. */
export function listTopups(db: Db): Promise<LicenceTopupRow[]> {
  return db.selectFrom('license_topups').selectAll().orderBy('date', 'desc').orderBy('id', 'desc').execute()
}

/** Decimal text: the sum of what was topped up until the end of a day. */
export async function sumTopups(db: Db, until: string): Promise<string> {
  const { sum } = await db
    .selectFrom('license_topups')
    .select(sql<string>`coalesce(sum(amount), 0)::numeric(20,2)`.as('sum'))
    .where('date', '<=', until)
    .executeTakeFirstOrThrow()
  return sum
}

export function lockTopup(trx: Trx, id: number): Promise<LicenceTopupRow | undefined> {
  return trx.selectFrom('license_topups').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertTopup(trx: Trx, values: Insertable<LicenceTopupsTable>): Promise<LicenceTopupRow> {
  return trx.insertInto('license_topups').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined fields stay as they are. */
export function updateTopup(
  trx: Trx,
  id: number,
  values: Updateable<LicenceTopupsTable>,
): Promise<LicenceTopupRow> {
  return trx
    .updateTable('license_topups')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteTopup(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('license_topups').where('id', '=', id).execute()
}
