import type { Db, Trx } from '../../db/database.ts'
import { type AuditRecord, insertAudit } from '../../db/queries/audit/entries.ts'
import { notifyChanges } from '../../db/queries/events/changes.ts'
import { enqueueEvents } from '../../db/queries/webhooks/webhooks.ts'
import { PUBLICATION_KINDS, type PublicationKind } from '../../db/tables/publications.ts'
import { type Audited, auditedChange } from '../rules/audit/changes.ts'
import { changedProducts, eventBody, type WebhookEvent } from '../rules/webhooks.ts'
import type { Change, ChangedId, ChangeKind, Changes } from './changes/changes.ts'

export type UnitOfWork = {
  db: Trx
  /** Records which rows the transaction changed. Without ids it does nothing. */
  recordChange(kind: ChangeKind, ids: Iterable<ChangedId>): void
  /**
   * Records an event for webhooks, which get changed products without it. It needs a change in the same transaction.
   * @param read reads the event's `data` at the end of the transaction, if an active webhook wants it
   */
  recordEvent(event: WebhookEvent, read: RecordedEvent['read']): void
  /** Adds an entry to the audit log, unless nothing differs. */
  audit(entry: Audited): void
}

type RecordedEvent = { event: WebhookEvent; read: (db: Trx) => unknown }

/**
 * Runs a transaction, the unit of work of every write. Audit entries, webhook deliveries and requests to rebuild outdated
 * publications are written in it; after the commit the changes are published to all instances (contract section 11), to this
 * one before the call returns.
 */
export async function write<T>(
  { db, changes }: { db: Db; changes: Changes },
  work: (tx: UnitOfWork) => Promise<T>,
): Promise<T> {
  const recorded = new Map<ChangeKind, Set<ChangedId>>()
  const audited: AuditRecord[] = []
  const events: RecordedEvent[] = []
  let published: Change[] = []

  async function run(trx: Trx): Promise<T> {
    const result = await work({
      db: trx,
      recordChange(kind, ids) {
        const all = recorded.get(kind) ?? new Set()
        for (const id of ids) all.add(id)
        if (all.size > 0) recorded.set(kind, all)
      },
      recordEvent: (event, read) => void events.push({ event, read }),
      audit(entry) {
        const record = auditedChange(entry)
        if (record) audited.push(record)
      },
    })
    if (audited.length > 0) await insertAudit(trx, audited)
    published = [...recorded].map(([kind, ids]) => ({ kind, ids }))
    if (published.length > 0) await announce(trx, published)
    return result
  }

  /** Notifies the other instances, requests rebuilds of publications, and writes the events that webhooks want. */
  async function announce(trx: Trx, made: Change[]): Promise<void> {
    const occurred = [...events]
    for (const ids of changedProducts(made)) occurred.push({ event: 'product.changed', read: () => ({ ids }) })
    const names = occurred.map(({ event }) => event)
    const outdated = outdatedPublications(made)
    const { wanted, at } = await notifyChanges(trx, changes.encode(made), outdated, [...new Set(names)])
    const entries = []
    for (const { event, read } of occurred)
      if (wanted.includes(event)) entries.push({ event, body: eventBody(event, at, await read(trx)) })
    if (entries.length > 0) await enqueueEvents(trx, entries)
  }

  try {
    return await db.transaction().execute(run)
  } finally {
    // After an error too: the commit may have succeeded although its response was lost.
    if (published.length > 0) await changes.publish(published)
  }
}

/** The publications that may show what changed; if one doesn't, it isn't published again. A changed image is a changed product. */
function outdatedPublications(changes: Change[]): PublicationKind[] {
  const isChanged = (...kinds: ChangeKind[]) => changes.some(({ kind }) => kinds.includes(kind))
  const inFeeds = isChanged('product', 'category', 'brand', 'setting')
  const inSitemap = isChanged('product', 'category', 'tag')
  return PUBLICATION_KINDS.filter((kind) => (kind === 'sitemap' ? inSitemap : inFeeds))
}

/** Runs the work of a write in a transaction that is rolled back, and returns its result. */
export async function dryRun<T>({ db }: { db: Db }, work: (tx: UnitOfWork) => Promise<T>): Promise<T> {
  const trx = await db.startTransaction().execute()
  try {
    return await work({ db: trx, recordChange() {}, recordEvent() {}, audit() {} })
  } finally {
    await trx.rollback().execute()
  }
}
