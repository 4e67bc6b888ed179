import * as snapshots from '../../../db/queries/pipeline/snapshots.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { priceOf } from '../../rules/money.ts'
import { type Page, type PageQuery, toPage } from '../../schemas/lists.ts'
import type { Snapshot, SnapshotDiff } from '../../schemas/pipeline.ts'

/** Newest first. */
export async function listSnapshots({ db }: Deps, query: PageQuery): Promise<Page<Snapshot>> {
  return toPage(await snapshots.listSnapshots(db, query), query, toSnapshot)
}

/** @throws AppError 404, also for a deleted one */
export async function getSnapshot({ db }: Deps, id: number): Promise<Snapshot> {
  return toSnapshot(await findSnapshot(db, id))
}

/** Compares a snapshot with the previous one. @throws AppError 404 */
export async function getSnapshotDiff({ db }: Deps, id: number): Promise<SnapshotDiff> {
  const snapshot = await findSnapshot(db, id)
  const previousId = await snapshots.findPreviousId(db, id)
  const counts = await snapshots.countDifferences(db, id, previousId)
  const rows = await snapshots.listDifferences(db, id, previousId)
  const listed = (kind: snapshots.DifferenceRow['kind']) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ id, name, price, price_before }) => ({
        id,
        name,
        price: priceOf(price),
        priceBefore: priceOf(price_before),
      }))
  return {
    snapshotId: id,
    previousId,
    counts: { ...counts, unchanged: snapshot.offers - counts.new - counts.changed },
    new: listed('new'),
    gone: listed('gone'),
    changed: listed('changed'),
  }
}

async function findSnapshot(db: Deps['db'], id: number): Promise<snapshots.SnapshotRow> {
  return found(await snapshots.findSnapshot(db, id), 'snapshot')
}

function toSnapshot(row: snapshots.SnapshotRow): Snapshot {
  return {
    id: row.id,
    runId: row.run_id,
    createdAt: row.created_at.toISOString(),
    sha256: row.sha256,
    size: row.size,
    offers: row.offers,
    categories: row.categories,
  }
}
