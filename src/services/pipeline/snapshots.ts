import * as snapshots from '../../../db/queries/pipeline/snapshots.ts'
import { findRecord } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { priceOf } from '../../rules/money.ts'
import { type Page, type PageQuery, toPage } from '../../schemas/lists.ts'
import { OfferDifference, Snapshot, type SnapshotDiff } from '../../schemas/pipeline.ts'
import { toWire } from '../wire.ts'

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
      .map((row) => ({ ...row, price: priceOf(row.price), price_before: priceOf(row.price_before) }))
      .map((row) => toWire(OfferDifference, row))
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
  return found(await findRecord(db, 'xml_snapshots', id), 'snapshot')
}

const toSnapshot = (row: snapshots.SnapshotRow): Snapshot => toWire(Snapshot, row)
