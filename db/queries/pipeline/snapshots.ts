import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import { onlyRow } from '../../prepared.ts'
import type { PipelineTables } from '../../tables/pipeline.ts'

export type SnapshotRow = Selectable<PipelineTables['xml_snapshots']>

/** Copies a run's download and staged offers to a snapshot. */
export async function insertSnapshot(
  trx: Trx,
  runId: number,
): Promise<Pick<SnapshotRow, 'id' | 'offers' | 'categories'>> {
  const { rows } = await sql<Pick<SnapshotRow, 'id' | 'offers' | 'categories'>>`
    with snapshot as (
      insert into xml_snapshots (run_id, storage_key, sha256, size, offers, categories)
      select id, storage_key, sha256, size,
        (select count(*) from xml_staged_offers where run_id = ${runId}),
        (select count(*) from xml_staged_categories where run_id = ${runId})
      from xml_pipeline_runs where id = ${runId}
      returning id, offers, categories
    ), copied as (
      insert into xml_snapshot_offers (snapshot_id, offer_id, name, price, digests)
      select snapshot.id, offer_id, s.name, s.price, s.digests
      from snapshot, xml_staged_offers s where s.run_id = ${runId}
    )
    select * from snapshot`.execute(trx)
  return onlyRow(rows)
}

/** Deletes all but the newest ones. */
export async function deleteOldSnapshots(trx: Trx, keep: number): Promise<void> {
  await sql`
    delete from xml_snapshots where id not in (
      select id from xml_snapshots order by id desc limit ${keep})`.execute(trx)
}

/** Newest first. */
export function listSnapshots(db: Db, page: PageRequest): Promise<PageOf<SnapshotRow>> {
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
  const { rows } = await sql<{ storage_key: string }>`
    select storage_key from xml_snapshots
    union all
    select storage_key from xml_pipeline_runs
    where storage_key is not null and status <> 'SUCCEEDED'
      and id = (select max(id) from xml_pipeline_runs)`.execute(db)
  return rows.map((row) => row.storage_key)
}

type Kind = 'new' | 'gone' | 'changed'

/** Selects the offers that are on one side only, or differ. */
function differences(snapshotId: number, before: number | null): RawBuilder<unknown> {
  const offersOf = (id: number | null) => sql`(
    select offer_id, name, price, digests from xml_snapshot_offers where snapshot_id = ${id}::int)`
  return sql`(
    select case when b.offer_id is null then 'new' when n.offer_id is null then 'gone' else 'changed' end as kind,
      offer_id as id, coalesce(n.name, b.name) as name, n.price, b.price as price_before
    from ${offersOf(snapshotId)} n
    full join ${offersOf(before)} b using (offer_id)
    where n.digests is distinct from b.digests)`
}

export type DifferenceCounts = { [kind in Kind]: number }

/** Compares two snapshots; null: with nothing. */
export async function countDifferences(db: Db, snapshotId: number, before: number | null): Promise<DifferenceCounts> {
  const { rows } = await sql<DifferenceCounts>`
    select count(*) filter (where kind = 'new') as new, count(*) filter (where kind = 'gone') as gone,
      count(*) filter (where kind = 'changed') as changed
    from ${differences(snapshotId, before)} d`.execute(db)
  return onlyRow(rows)
}

export type DifferenceRow = {
  kind: Kind
  id: string
  name: string
  price: string | null
  price_before: string | null
}

const MAX_LISTED = 1000

/** Lists the first 1000 differences of each kind by offer id. */
export async function listDifferences(db: Db, snapshotId: number, before: number | null): Promise<DifferenceRow[]> {
  const { rows } = await sql<DifferenceRow>`
    select * from (
      select d.*, row_number() over (partition by kind order by id) as place
      from ${differences(snapshotId, before)} d
    ) numbered
    where place <= ${MAX_LISTED}
    order by kind, place`.execute(db)
  return rows
}
