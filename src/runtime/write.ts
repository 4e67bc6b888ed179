import type { Db, Trx } from '../../db/database.ts'
import { type AuditRecord, insertAudit } from '../../db/queries/audit/entries.ts'
import { notifyChanges } from '../../db/queries/events/changes.ts'
import { insertRequests } from '../../db/queries/published/requests.ts'
import { type Audited, auditedChange } from '../rules/audit/changes.ts'
import { outdatedPublications } from '../rules/published/triggers.ts'
import type { Change, ChangedId, ChangeKind, Changes } from './changes/changes.ts'

export type UnitOfWork = {
  db: Trx
  /** Records which records the transaction changed; no ids, no change. */
  recordChange(kind: ChangeKind, ids: Iterable<ChangedId>): void
  /** Adds an entry to the audit log, unless nothing differs. */
  audit(entry: Audited): void
}

/**
 * Runs a transaction, the unit of work of every write. Recorded changes, audit entries and requests to rebuild outdated
 * publications are written in it; after the commit the changes are published to all instances (contract section 11), to
 * this one before the call returns.
 * @param from `run`: part of a run, which rebuilds what is published at its own end
 */
export async function write<T>(
  { db, changes }: { db: Db; changes: Changes },
  work: (tx: UnitOfWork) => Promise<T>,
  from: 'here' | 'run' = 'here',
): Promise<T> {
  const recorded = new Map<ChangeKind, Set<ChangedId>>()
  const audited: AuditRecord[] = []
  let published: Change[] = []

  async function run(trx: Trx): Promise<T> {
    const result = await work({
      db: trx,
      recordChange(kind, ids) {
        const all = recorded.get(kind) ?? new Set()
        for (const id of ids) all.add(id)
        if (all.size > 0) recorded.set(kind, all)
      },
      audit(entry) {
        const record = auditedChange(entry)
        if (record) audited.push(record)
      },
    })
    if (audited.length > 0) await insertAudit(trx, audited)
    published = [...recorded].map(([kind, ids]) => ({ kind, ids }))
    if (published.length > 0) await notifyChanges(trx, changes.encode(published))
    const outdated = outdatedPublications(published).map(({ kind }) => kind)
    if (outdated.length > 0) await insertRequests(trx, outdated)
    return result
  }

  try {
    return await db.transaction().execute(run)
  } finally {
    // After an error too: the commit may have succeeded although its response was lost.
    if (published.length > 0) await changes.publish(published, from)
  }
}

class DryRunRollback extends Error {}

/** Runs the work of a write in a transaction that is rolled back, and returns its result. */
export async function dryRun<T>({ db }: { db: Db }, work: (tx: UnitOfWork) => Promise<T>): Promise<T> {
  let done: { result: T } | undefined
  try {
    await db.transaction().execute(async (trx) => {
      done = { result: await work({ db: trx, recordChange() {}, audit() {} }) }
      throw new DryRunRollback()
    })
  } catch (error) {
    if (!(error instanceof DryRunRollback)) throw error
  }
  if (done === undefined) throw new Error('Dry run did not finish')
  return done.result
}
