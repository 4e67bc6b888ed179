import { findNewestPublication } from '../../../db/queries/published/publications.ts'
import { findRecords } from '../../../db/queries/records.ts'
import { findOffers } from '../../../db/queries/stock/reservations.ts'
import type { Deps } from '../../deps.ts'
import { toAmount } from '../../rules/money.ts'
import { isAvailable } from '../../rules/stock/pricing.ts'
import type { Change, ChangeKind } from '../../runtime/changes/changes.ts'
import { type Batch, createBatches } from '../../runtime/live-events.ts'
import { type Event, MAX_ANNOUNCED_PRODUCTS, productOfTopic, type Topic } from '../../schemas/events.ts'
import { findPipelineRun } from '../pipeline/runs.ts'
import { countScrapeTasks } from '../scraping/queue.ts'
import { findSyncRun } from '../supplier/sync.ts'

/** A burst of changes, as a sync makes, is announced at most five times a second. */
const INTERVAL_MS = 200
const RUNS_INTERVAL_MS = 1000
/** Records of a batch that are announced one by one; beyond that, subscribers get a resync. */
const MAX_ANNOUNCED_RECORDS = 1000

const RUN_KINDS: ChangeKind[] = ['syncRun', 'pipelineRun', 'scrapeQueue']

/** Which topics an announcement concerns, and how it is made when some of them have subscribers. */
type Announcement = [
  isConcerned: (topic: string) => boolean,
  work: (deps: Deps, batch: Batch, subscribed: string[]) => void | Promise<void>,
]

/**
 * Creates the listener that announces committed changes to clients (contract section 12). What an event contains is read
 * after the change, once per batch, and only if someone subscribes to it.
 */
export function createAnnouncer(deps: Deps): (changes: Change[]) => void {
  const { events, log, tasks } = deps
  const lastRuns = new Map<ChangeKind, string>()

  /** Sends a resync after a failure. */
  async function announce([isConcerned, work]: Announcement, batch: Batch): Promise<void> {
    const subscribed = [...events.topics().filter(isConcerned)]
    if (subscribed.length === 0) return
    try {
      await work(deps, batch, subscribed)
    } catch (err) {
      log.warn({ err }, 'live events not sent')
      events.resync(subscribed)
    }
  }

  function batches(intervalMs: number, announcements: Announcement[]) {
    const announceAll = (batch: Batch) => Promise.all(announcements.map((one) => announce(one, batch)))
    return createBatches(intervalMs, async (batch) => {
      await tasks.run(() => announceAll(batch)).catch(() => {})
    })
  }

  const add = batches(INTERVAL_MS, [
    [isOneOf('products'), announceProducts],
    [isOneOf('catalogue'), announceCatalogue],
    [(topic) => productOfTopic(topic) !== null, announceEachProduct],
    [isOneOf('catalogue'), announceFeed],
    [isOneOf('orders', 'my-orders'), announceOrders],
    [isOneOf('contacts'), announceContacts],
  ])
  const addRuns = batches(RUNS_INTERVAL_MS, [[isOneOf('runs'), (_, batch) => announceRuns(deps, batch, lastRuns)]])
  return (changes) => {
    if (events.size === 0) return
    add(changes.filter(({ kind }) => !RUN_KINDS.includes(kind)))
    addRuns(changes.filter(({ kind }) => RUN_KINDS.includes(kind)))
  }
}

function isOneOf(...topics: Topic[]): (topic: string) => boolean {
  return (topic) => topics.some((one) => one === topic)
}

/** The ids that any of the kinds changed; null: any. */
function changedIds(batch: Batch, ...kinds: ChangeKind[]): Set<number> | null {
  const all = new Set<number>()
  for (const kind of kinds) {
    const ids = batch.get(kind)
    if (ids === null) return null
    for (const id of ids ?? []) all.add(Number(id))
  }
  return all
}

const RECORD_KINDS = {
  orders: { created: 'orderCreated', changed: 'order' },
  contact_requests: { created: 'contactCreated', changed: 'contact' },
} as const

/** The records of a table that a batch created or changed, without a row if deleted; too many are left to a resync. */
async function readChanged<T extends keyof typeof RECORD_KINDS>(
  { db, events }: Deps,
  table: T,
  batch: Batch,
  subscribed: string[],
) {
  const kinds = RECORD_KINDS[table]
  const [created, changed] = [changedIds(batch, kinds.created), changedIds(batch, kinds.changed)]
  if (created === null || changed === null || created.size + changed.size > MAX_ANNOUNCED_RECORDS) {
    events.resync(subscribed)
    return []
  }
  const ids = [...created.union(changed)]
  if (ids.length === 0) return []
  const rows = new Map((await findRecords(db, table, ids)).map((row) => [row.id, row]))
  return ids.map((id) => ({ id, row: rows.get(id), created: created.has(id), changed: changed.has(id) }))
}

function publish({ events }: Deps, topic: Topic, event: Event, userId?: number): void {
  events.publish(topic, event, userId)
}

/** Products also show their category, brand, tags and settings: a change of one of these counts as a change of all products. */
function announceProducts(deps: Deps, batch: Batch): void {
  const showsOthers = (['category', 'brand', 'tag', 'setting'] as const).some((kind) => batch.has(kind))
  const ids = showsOthers ? null : changedIds(batch, 'product', 'stock')
  if (ids?.size === 0) return
  const isNamed = ids !== null && ids.size <= MAX_ANNOUNCED_PRODUCTS
  publish(deps, 'products', { type: 'products.changed', ids: isNamed ? [...ids] : null })
}

async function announceEachProduct(deps: Deps, batch: Batch, subscribed: string[]): Promise<void> {
  const { db, events } = deps
  const changed = changedIds(batch, 'product', 'stock')
  const products = subscribed.flatMap((topic) => productOfTopic(topic) ?? [])
  const ids = changed === null ? products : products.filter((id) => changed.has(id))
  if (ids.length === 0) return
  if (ids.length > MAX_ANNOUNCED_RECORDS) return events.resync(ids.map((id) => `product:${id}`))
  const offers = await findOffers(db, ids)
  for (const id of ids) {
    const offer = offers.get(id)
    const shown = offer?.active
      ? { finalPrice: toAmount(offer.final_price), available: isAvailable(offer), active: true }
      : { finalPrice: null, available: false, active: false }
    publish(deps, `product:${id}`, { type: 'product.changed', id, ...shown })
  }
}

function announceCatalogue(deps: Deps, batch: Batch): void {
  const isChanged = (['category', 'brand', 'banner', 'feature', 'setting'] as const).some((kind) => batch.has(kind))
  if (isChanged) publish(deps, 'catalogue', { type: 'catalogue.changed' })
}

async function announceFeed(deps: Deps, batch: Batch): Promise<void> {
  const feed = batch.has('feed') ? await findNewestPublication(deps.db, 'feed') : undefined
  if (feed === undefined) return
  const { built_at, entries } = feed
  publish(deps, 'catalogue', { type: 'feed.published', builtAt: built_at.toISOString(), offers: entries })
}

async function announceOrders(deps: Deps, batch: Batch, subscribed: string[]): Promise<void> {
  for (const { id, row, created, changed } of await readChanged(deps, 'orders', batch, subscribed)) {
    if (row === undefined) {
      publish(deps, 'orders', { type: 'order.deleted', id })
      continue
    }
    const { number, status, version, user_id } = row
    if (created) publish(deps, 'orders', { type: 'order.created', id, number, total: Number(row.total) })
    if (changed) publish(deps, 'orders', { type: 'order.changed', id, status, version })
    if (user_id !== null) publish(deps, 'my-orders', { type: 'order.changed', id, status }, user_id)
  }
}

async function announceContacts(deps: Deps, batch: Batch, subscribed: string[]): Promise<void> {
  const records = await readChanged(deps, 'contact_requests', batch, subscribed)
  for (const { id, row, created, changed } of records) {
    if (row && created) publish(deps, 'contacts', { type: 'contact.created', id })
    if (row && changed) publish(deps, 'contacts', { type: 'contact.changed', id, status: row.status })
  }
}

/** @param last the last event sent of each kind: the end of a run is announced once */
async function announceRuns(deps: Deps, batch: Batch, last: Map<ChangeKind, string>): Promise<void> {
  const publishNew = (kind: ChangeKind, event: Event) => {
    const text = JSON.stringify(event)
    if (last.get(kind) === text) return
    last.set(kind, text)
    publish(deps, 'runs', event)
  }
  for (const id of changedIds(batch, 'syncRun') ?? []) {
    const run = await findSyncRun(deps, id)
    const type = run?.status === 'RUNNING' ? 'sync.progress' : 'sync.finished'
    if (run) publishNew('syncRun', { type, ...run })
  }
  for (const id of changedIds(batch, 'pipelineRun') ?? []) {
    const run = await findPipelineRun(deps, id)
    const type = run?.status === 'RUNNING' ? 'pipeline.progress' : 'pipeline.finished'
    if (run) publishNew('pipelineRun', { type, ...run })
  }
  if (batch.has('scrapeQueue')) {
    const { PENDING, IN_PROGRESS, DONE: done, FAILED: failed } = await countScrapeTasks(deps)
    publishNew('scrapeQueue', { type: 'scrape.progress', pending: PENDING + IN_PROGRESS, done, failed })
  }
}
