import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ContentTables } from '../../tables/content.ts'

export type LicencePriceRow = Selectable<ContentTables['license_prices']>
export type LicenceTopupRow = Selectable<ContentTables['license_topups']>

/** By start date. */
export function listLicencePrices(db: Db): Promise<LicencePriceRow[]> {
  return db.selectFrom('license_prices').selectAll().orderBy('start_date').execute()
}

export function lockLicencePrice(trx: Trx, id: number): Promise<LicencePriceRow | undefined> {
  return trx.selectFrom('license_prices').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertLicencePrice(
  trx: Trx,
  values: Insertable<ContentTables['license_prices']>,
): Promise<LicencePriceRow> {
  return trx.insertInto('license_prices').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateLicencePrice(
  trx: Trx,
  id: number,
  values: Updateable<ContentTables['license_prices']>,
): Promise<LicencePriceRow> {
  return trx
    .updateTable('license_prices')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteLicencePrice(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('license_prices').where('id', '=', id).execute()
}

/** The newest first. */
export function listLicenceTopups(db: Db): Promise<LicenceTopupRow[]> {
  return db.selectFrom('license_topups').selectAll().orderBy('date', 'desc').orderBy('id', 'desc').execute()
}

export function lockLicenceTopup(trx: Trx, id: number): Promise<LicenceTopupRow | undefined> {
  return trx.selectFrom('license_topups').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertLicenceTopup(
  trx: Trx,
  values: Insertable<ContentTables['license_topups']>,
): Promise<LicenceTopupRow> {
  return trx.insertInto('license_topups').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateLicenceTopup(
  trx: Trx,
  id: number,
  values: Updateable<ContentTables['license_topups']>,
): Promise<LicenceTopupRow> {
  return trx
    .updateTable('license_topups')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteLicenceTopup(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('license_topups').where('id', '=', id).execute()
}
