import { sql } from 'kysely'
import type { Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'

/** After this many new records, plans made for a small table are too slow. */
const MIN_NEW_FOR_REPLAN = 1000

/** `changed`: ids of all changed rows, whether counted or not; `hidden`: those that the public no longer sees. */
export type Imported = { created: number; updated: number; changed: number[]; hidden?: number[] }

/**
 * Discards the connection's cached plans before a large page: those of foreign key checks may be sequential scans, made
 * when the table had a handful of rows.
 */
export async function discardOutgrownPlans(trx: Trx, fresh: unknown[]): Promise<void> {
  // The builder has no discard.
  if (fresh.length >= MIN_NEW_FOR_REPLAN) await sql`discard plans`.execute(trx)
}

/** The records that are neither in the table nor deleted by staff, each with a new id. */
export async function selectNew<T extends { externalId: string }>(
  trx: Trx,
  table: 'categories' | 'brands' | 'products',
  records: T[],
): Promise<(T & { id: number })[]> {
  const ids = records.map(({ externalId }) => externalId)
  const unknown = trx
    .selectFrom(
      sql<{ external_id: string; position: number }>`unnest(${ids}::text[]) with ordinality`.as<'i'>(
        sql`i(external_id, position)`,
      ),
    )
    .select([
      sql<number>`(position - 1)::int`.as('position'),
      sql<number>`nextval((select pg_get_serial_sequence(${table}, 'id')::regclass))::int`.as('id'),
    ])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom(trx.dynamic.table(table).as('t')).select('t.id').whereRef('t.external_id', '=', 'i.external_id'),
        ),
      ),
    )
    .orderBy('position')
  const wanted =
    table !== 'products'
      ? unknown
      : unknown.where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('deleted_products as d')
                .select('d.external_id')
                .whereRef('d.external_id', '=', 'i.external_id'),
            ),
          ),
        )
  const rows = await prepared(trx, wanted)
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
