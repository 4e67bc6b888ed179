import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import type { PipelineTables } from '../../tables/pipeline.ts'

export type SnapshotRow = Selectable<PipelineTables['xml_snapshots']>

/** Copies a run's download and staged offers to a snapshot. */
export function insertSnapshot(trx: Trx, runId: number) {
  return trx
    .with('snapshot', (db) =>
      db
        .insertInto('xml_snapshots')
        .columns(['run_id', 'storage_key', 'sha256', 'size', 'offers', 'categories'])
        .expression(
          db
            .selectFrom('xml_pipeline_runs')
            .select(['id', 'storage_key', 'sha256', 'size'])
            .select(({ selectFrom, fn }) => [
              selectFrom('xml_staged_offers')
                .select(fn.countAll().as('count'))
                .where('run_id', '=', runId)
                .as('offers'),
              selectFrom('xml_staged_categories')
                .select(fn.countAll().as('count'))
                .where('run_id', '=', runId)
                .as('categories'),
            ])
            .where('id', '=', runId),
        )
        .returning(['id', 'offers', 'categories']),
    )
    .with('copied', (db) =>
      db
        .insertInto('xml_snapshot_offers')
        .columns(['snapshot_id', 'offer_id', 'name', 'price', 'digests'])
        .expression(
          db
            .selectFrom(['snapshot', 'xml_staged_offers as s'])
            .select(['snapshot.id', 's.offer_id', 's.name', 's.price', 's.digests'])
            .where('s.run_id', '=', runId),
        ),
    )
    .selectFrom('snapshot')
    .selectAll()
    .executeTakeFirstOrThrow()
}

/** Deletes all but the newest ones. */
export async function deleteOldSnapshots(trx: Trx, keep: number): Promise<void> {
  const kept = trx.selectFrom('xml_snapshots').select('id').orderBy('id', 'desc').limit(keep)
  await trx.deleteFrom('xml_snapshots').where('id', 'not in', kept).execute()
}

/** Newest first. */
export function listSnapshots(db: Db, page: PageRequest) {
  return readPage(db.selectFrom('xml_snapshots').selectAll().orderBy('id', 'desc'), page)
}

/** The id of the snapshot before this one; null: there is none. */
export async function findPreviousId(db: Db, id: number): Promise<number | null> {
  const previous = await db
    .selectFrom('xml_snapshots')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('id', '<', id)
    .executeTakeFirstOrThrow()
  return previous.id
}

/** The storage keys of downloads that belong to snapshots, or that a retry of the newest run needs. */
export async function listNeededDownloads(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('xml_snapshots')
    .select('storage_key')
    .unionAll(
      db
        .selectFrom('xml_pipeline_runs')
        .select('storage_key')
        .$narrowType<{ storage_key: string }>()
        .where('storage_key', 'is not', null)
        .where('status', '<>', 'SUCCEEDED')
        .where('id', '=', ({ selectFrom }) =>
          selectFrom('xml_pipeline_runs').select(({ fn }) => fn.max<number>('id').as('id')),
        ),
    )
    .execute()
  return rows.map((row) => row.storage_key)
}

/** Selects the offers that are in one snapshot only, or differ; `before` null: of no snapshot. */
function differences(db: Db, snapshotId: number, before: number | null) {
  const offersOf = (id: number | null) =>
    db
      .selectFrom('xml_snapshot_offers')
      .select(['offer_id', 'name', 'price', 'digests'])
      .where('snapshot_id', '=', sql<number>`${id}::int`)
  return db
    .selectFrom(offersOf(snapshotId).as('n'))
    .fullJoin(offersOf(before).as('b'), 'b.offer_id', 'n.offer_id')
    .select(({ fn, eb }) => [
      eb
        .case()
        .when('b.offer_id', 'is', null)
        .then('new' as const)
        .when('n.offer_id', 'is', null)
        .then('gone' as const)
        .else('changed' as const)
        .end()
        .as('kind'),
      fn.coalesce('n.offer_id', 'b.offer_id').$notNull().as('id'),
      fn.coalesce('n.name', 'b.name').$notNull().as('name'),
      'n.price',
      'b.price as price_before',
    ])
    .where('n.digests', 'is distinct from', ({ ref }) => ref('b.digests'))
}

/** Compares two snapshots; null: with nothing. */
export function countDifferences(db: Db, snapshotId: number, before: number | null) {
  return db
    .selectFrom(differences(db, snapshotId, before).as('d'))
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('d.kind', '=', 'new').as('new'),
      fn.countAll<number>().filterWhere('d.kind', '=', 'gone').as('gone'),
      fn.countAll<number>().filterWhere('d.kind', '=', 'changed').as('changed'),
    ])
    .executeTakeFirstOrThrow()
}

export type DifferenceRow = Awaited<ReturnType<typeof listDifferences>>[number]

const MAX_LISTED = 1000

/** Lists the first 1000 differences of each kind by offer id. */
export function listDifferences(db: Db, snapshotId: number, before: number | null) {
  const numbered = db
    .selectFrom(differences(db, snapshotId, before).as('d'))
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('d.kind').orderBy('d.id'))
        .as('place'),
    )
  return db
    .selectFrom(numbered.as('numbered'))
    .select(['kind', 'id', 'name', 'price', 'price_before'])
    .where('place', '<=', MAX_LISTED)
    .orderBy('kind')
    .orderBy('place')
    .execute()
}

export function findSnapshot(db: Db, id: number): Promise<SnapshotRow | undefined> {
  return db.selectFrom('xml_snapshots').selectAll().where('id', '=', id).executeTakeFirst()
}
