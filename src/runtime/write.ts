import type { Db, Trx } from '../../db/database.ts'
import { type AuditRecord, insertAudit } from '../../db/queries/audit/entries.ts'
import { notifyChanges } from '../../db/queries/events/changes.ts'
import { type Audited, auditedChange } from '../rules/audit/changes.ts'
import type { Change, ChangedId, ChangeKind, Changes } from './changes/changes.ts'

export type UnitOfWork = {
  /** The transaction. */
  db: Trx
  /** Says what the transaction changed, and nothing of who might want to know. */
  recordChange(kind: ChangeKind, ids: Iterable<ChangedId>): void
  /** Writes down who changed what; a change that changes nothing leaves no entry. */
  audit(entry: Audited): void
}

/**
 * The unit of work: every write of a service goes through it. What `work` says of its changes and of who made them is
 * written down and sent in the same transaction; after the commit it shows on every instance (contract section 11), on
 * this one before the call returns.
 * @param from `run`: a part of a run, which rebuilds what is published itself, at its end
 */
export async function write<T>(
  { db, changes }: { db: Db; changes: Changes },
  work: (tx: UnitOfWork) => Promise<T>,
  from: 'here' | 'run' = 'here',
): Promise<T> {
  const said = new Map<ChangeKind, Set<ChangedId>>()
  const audited: AuditRecord[] = []
  let made: Change[] = []

  async function run(trx: Trx): Promise<T> {
    const result = await work({
      db: trx,
      recordChange(kind, ids) {
        const all = said.get(kind) ?? new Set()
        for (const id of ids) all.add(id)
        if (all.size > 0) said.set(kind, all)
      },
      audit(entry) {
        const record = auditedChange(entry)
        if (record) audited.push(record)
      },
    })
    if (audited.length > 0) await insertAudit(trx, audited)
    made = [...said].map(([kind, ids]) => ({ kind, ids }))
    if (made.length > 0) await notifyChanges(trx, changes.encode(made))
    return result
  }

  try {
    return await db.transaction().execute(run)
  } finally {
    // Also after an error: a commit whose answer was lost may have happened.
    if (made.length > 0) await changes.announce(made, from)
  }
}

class DryRunRollback extends Error {}

/** Does the work of a write, tells what came of it, and takes all of it back: what a dry run does. */
export async function dryRun<T>({ db }: { db: Db }, work: (tx: UnitOfWork) => Promise<T>): Promise<T> {
  const results: T[] = []
  try {
    await db.transaction().execute(async (trx) => {
      results.push(await work({ db: trx, recordChange() {}, audit() {} }))
      throw new DryRunRollback()
    })
  } catch (error) {
    if (!(error instanceof DryRunRollback)) throw error
  }
  const [result] = results
  if (result === undefined) throw new Error('The rehearsal came to no end')
  return result
}
