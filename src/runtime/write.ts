import type { Db, Trx } from '../../db/database.ts'
import { type AuditRecord, insertAudit } from '../../db/queries/audit/entries.ts'
import { listShown } from '../../db/queries/catalogue/products.ts'
import { notifyChanges } from '../../db/queries/events/changes.ts'
import { enqueueEvents } from '../../db/queries/webhooks/webhooks.ts'
import { PUBLICATION_KINDS, type PublicationKind } from '../../db/tables/publications.ts'
import { type Audited, auditedChange } from '../rules/audit/changes.ts'
import { eventBody, productBatches, type WebhookEvent } from '../rules/webhooks.ts'
import type { Change, ChangedId, Changes } from './changes/changes.ts'
import { type ChangeKind, type EventKind, effectsOf } from './changes/kinds.ts'

/** Reads the `data` of a webhook event, at the end of the transaction and if an active webhook wants it. */
type ReadEventData = (db: Trx) => unknown

export type UnitOfWork = {
  db: Trx
  /** Records which rows the transaction changed (changes/kinds.ts: what that means). Without ids it does nothing. */
  recordChange<Kind extends ChangeKind>(
    kind: Kind,
    ids: Iterable<ChangedId>,
    ...read: Kind extends EventKind ? [ReadEventData] : []
  ): void
  /** Adds an entry to the audit log, unless nothing differs. */
  audit(entry: Audited): void
}

type RecordedEvent = { event: WebhookEvent; read: ReadEventData }

/**
 * Runs a transaction, the unit of work of every write. Audit entries, webhook deliveries and requests to rebuild outdated
 * publications are written in it; after the commit the changes are published to all instances (docs/decisions.md), to this
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
      recordChange(kind, ids, ...[read]) {
        const changed = new Set(ids)
        if (changed.size === 0) return
        recorded.set(kind, changed.union(recorded.get(kind) ?? new Set()))
        const { webhook } = effectsOf(kind)
        if (webhook && read) events.push({ event: webhook, read })
      },
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
    const products = changedProducts(made)
    const names: WebhookEvent[] = events.map(({ event }) => event)
    if (products.changed.length > 0) names.push('product.changed')
    const outdated = outdatedPublications(made)
    const { wanted, at } = await notifyChanges(trx, changes.encode(made), outdated, [...new Set(names)])
    const entries = []
    for (const { event, read } of events)
      if (wanted.includes(event)) entries.push({ event, body: eventBody(event, at, await read(trx)) })
    if (wanted.includes('product.changed')) {
      const shown = await listShown(trx, products.changed)
      for (const ids of productBatches([...shown, ...products.hidden]))
        entries.push({ event: 'product.changed' as const, body: eventBody('product.changed', at, { ids }) })
    }
    if (entries.length > 0) await enqueueEvents(trx, entries)
  }

  try {
    return await db.transaction().execute(run)
  } finally {
    // After an error too: the commit may have succeeded although its response was lost.
    if (published.length > 0) await changes.publish(published)
  }
}

/** The publications that may show what changed; if one doesn't, it isn't published again. */
function outdatedPublications(changes: Change[]): PublicationKind[] {
  return PUBLICATION_KINDS.filter((one) => changes.some(({ kind }) => effectsOf(kind).publications?.includes(one)))
}

/** The products that webhooks may be told of, and those of them that the public no longer sees. */
function changedProducts(changes: Change[]) {
  const idsOf = (own: Change[]) => own.flatMap(({ ids }) => [...(ids ?? [])].map(Number))
  return {
    changed: idsOf(changes.filter(({ kind }) => effectsOf(kind).webhook === 'product.changed')),
    hidden: idsOf(changes.filter(({ kind }) => kind === 'productHidden')),
  }
}

/** Runs the work of a write in a transaction that is rolled back, and returns its result. */
export async function dryRun<T>({ db }: { db: Db }, work: (tx: UnitOfWork) => Promise<T>): Promise<T> {
  const trx = await db.startTransaction().execute()
  try {
    return await work({ db: trx, recordChange() {}, audit() {} })
  } finally {
    await trx.rollback().execute()
  }
}
