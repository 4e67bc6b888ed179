import { sql } from 'kysely'
import type { Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'

/** After this many new records, plans made for a small table are too slow. */
const MIN_NEW_FOR_REPLAN = 1000

/** `changed`: ids of all changed rows, whether counted or not. */
export type Imported = { created: number; updated: number; changed: number[] }

/**
 * Discards the connection's cached plans before a large page: those of foreign key checks may be sequential scans, made
 * when the table had a handful of rows.
 */
export async function discardOutgrownPlans(trx: Trx, fresh: unknown[]): Promise<void> {
  if (fresh.length >= MIN_NEW_FOR_REPLAN) await sql`discard plans`.execute(trx)
}

/** The records that are neither in the table nor deleted by staff, each with a new id. */
export async function selectNew<T extends { externalId: string }>(
  trx: Trx,
  table: 'categories' | 'brands' | 'products',
  records: T[],
): Promise<(T & { id: number })[]> {
  const ids = records.map(({ externalId }) => externalId)
  const wanted =
    table === 'products'
      ? sql`not exists (select from deleted_products d where d.external_id = i.external_id)`
      : sql`true`
  const query = sql<{ position: number; id: number }>`
    select (position - 1)::int as position,
      nextval((select pg_get_serial_sequence(${table}, 'id')::regclass))::int as id
    from unnest(${ids}::text[]) with ordinality as i(external_id, position)
    where not exists (select from ${sql.table(table)} t where t.external_id = i.external_id) and ${wanted}
    order by position`
  const rows = await prepared(trx, query)
  return rows.flatMap(({ position, id }) => {
    const record = records[position]
    return record ? [{ ...record, id }] : []
  })
}

export function idsOf(rows: { id: number }[]): number[] {
  return rows.map(({ id }) => id)
}

/** @param alongside rows that changed without a record of their own; not counted */
export function toImported(fresh: { id: number }[], updated: number[], alongside: number[] = []): Imported {
  return {
    created: fresh.length,
    updated: updated.length,
    changed: [...idsOf(fresh), ...updated, ...alongside],
  }
}
