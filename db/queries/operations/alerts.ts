import { sql } from 'kysely'
import type { AlertName } from '../../../src/rules/operations/alerts.ts'
import type { Db, Trx } from '../../database.ts'
import type { AlertRow } from '../../tables/operations.ts'

/** Inserts an alert, or updates the details of the open one. @returns the new one */
export async function openAlert(
  trx: Trx,
  alert: Pick<AlertRow, 'name' | 'details' | 'began_at'>,
): Promise<AlertRow | undefined> {
  const inserted = await trx
    .insertInto('alerts')
    .values({ ...alert, absent_since: null, ended_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted === undefined) {
    const { name, details } = alert
    const open = trx.updateTable('alerts').where('name', '=', name).where('ended_at', 'is', null)
    await open
      .set({ details, absent_since: null })
      .where((eb) => eb.or([eb('details', '!=', details), eb('absent_since', 'is not', null)]))
      .execute()
  }
  return inserted
}

export type QuietPeriods = { first: number; repeated: number; repeatedWithin: number }

/**
 * Records that the condition of an open alert is absent, and ends the alert when it has been for long enough.
 * @param quiet minutes; alerts that begin again within `repeatedWithin` have to be absent for longer
 * @returns the ended alert
 */
export async function closeAlert(
  trx: Trx,
  name: AlertName,
  now: Date,
  quiet: QuietPeriods,
): Promise<AlertRow | undefined> {
  const open = trx.updateTable('alerts').where('name', '=', name).where('ended_at', 'is', null)
  await open.set({ absent_since: now }).where('absent_since', 'is', null).execute()
  const { rows } = await sql<AlertRow>`
    update alerts a set ended_at = absent_since
    where name = ${name} and ended_at is null
      and absent_since <= ${now}::timestamptz - interval '1 minute' * case
        when exists (
          select from alerts earlier
          where earlier.name = a.name
            and earlier.ended_at > a.began_at - ${quiet.repeatedWithin}::int * interval '1 minute'
        ) then ${quiet.repeated}::int else ${quiet.first}::int end
    returning *`.execute(trx)
  return rows[0]
}

/** Lists the open alerts, then those that ended last. */
export function listAlerts(db: Db, limit: number): Promise<AlertRow[]> {
  const alerts = db.selectFrom('alerts').selectAll()
  return alerts.orderBy(sql`ended_at desc nulls first`).orderBy('id', 'desc').limit(limit).execute()
}

export async function deletePastAlerts(db: Db, endedBefore: Date): Promise<void> {
  await db.deleteFrom('alerts').where('ended_at', '<', endedBefore).execute()
}
