import * as snapshots from '../../../db/queries/pipeline/snapshots.ts'
import { findRecord } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { priceOf } from '../../rules/money.ts'
import { changedFields } from '../../rules/pipeline/offers.ts'
import { type Page, type PageQuery, toPage } from '../../schemas/lists.ts'
import { Snapshot, type SnapshotDiff } from '../../schemas/pipeline.ts'
import { toWire } from '../wire.ts'

/** Newest first. */
export async function listSnapshots({ db }: Deps, query: PageQuery): Promise<Page<Snapshot>> {
  return toPage(await snapshots.listSnapshots(db, query), query, toSnapshot)
}

/** @throws AppError 404, also for a deleted one */
export async function getSnapshot({ db }: Deps, id: number): Promise<Snapshot> {
  return toSnapshot(await findSnapshot(db, id))
}

/**
 * Compares a snapshot with the previous one.
 * @param limit maximum length of each list
 * @throws AppError 404
 */
export async function getSnapshotDiff({ db }: Deps, id: number, limit: number): Promise<SnapshotDiff> {
  const snapshot = await findSnapshot(db, id)
  const previous = await snapshots.findSnapshotBefore(db, id)
  const rows = await snapshots.listDifferences(db, id, previous?.id ?? null, limit)
  const totals = await snapshots.countDifferences(db, id, previous?.id ?? null)
  const ofKind = (kind: snapshots.Difference) => rows.filter((row) => row.kind === kind)
  return {
    snapshotId: id,
    previousId: previous?.id ?? null,
    counts: {
      new: totals.NEW,
      gone: totals.GONE,
      changed: totals.CHANGED,
      unchanged: snapshot.offers - totals.NEW - totals.CHANGED,
    },
    new: ofKind('NEW').map(({ offer_id: id, name, price }) => ({ id, name, price: priceOf(price) })),
    gone: ofKind('GONE').map(({ offer_id: id, name, priceBefore }) => ({
      id,
      name,
      price: priceOf(priceBefore),
    })),
    changed: ofKind('CHANGED').map(({ offer_id: id, name, price, priceBefore, ...row }) => ({
      id,
      name,
      price: priceOf(price),
      priceBefore: priceOf(priceBefore),
      fields: changedFields(row.digestsBefore ?? '', row.digests ?? ''),
    })),
  }
}

async function findSnapshot(db: Deps['db'], id: number): Promise<snapshots.SnapshotRow> {
  return found(await findRecord(db, 'xml_snapshots', id), 'snapshot')
}

const toSnapshot = (row: snapshots.SnapshotRow): Snapshot => toWire(Snapshot, row)
