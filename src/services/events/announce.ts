import { listShown } from '../../../db/queries/catalogue/products.ts'
import { findContacts } from '../../../db/queries/contacts/contacts.ts'
import { listOpenAlerts } from '../../../db/queries/operations/alerts.ts'
import { findOrders } from '../../../db/queries/orders/orders.ts'
import { findNewestPublication } from '../../../db/queries/published/publications.ts'
import { findOffers } from '../../../db/queries/stock/reservations.ts'
import type { ContactRequestRow } from '../../../db/tables/content.ts'
import type { OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { toAmount } from '../../rules/money.ts'
import { ALERT_NAMES } from '../../rules/operations/alerts.ts'
import { JOBS } from '../../rules/operations/jobs.ts'
import { isAvailable } from '../../rules/stock/pricing.ts'
import { productOfTopic, type Topic, type TopicName } from '../../rules/topics.ts'
import type { Change } from '../../runtime/changes/changes.ts'
import { type ChangeKind, effectsOf } from '../../runtime/changes/kinds.ts'
import { type Batch, createBatches } from '../../runtime/live-events.ts'
import { type Event, MAX_ANNOUNCED_PRODUCTS } from '../../schemas/events.ts'
import { findPipelineRun } from '../pipeline/runs.ts'
import { countScrapeTasks } from '../scraping/queue.ts'
import { findSyncRun } from '../supplier/sync.ts'

/** A burst of changes, as a sync makes, is announced at most five times a second. */
const INTERVAL_MS = 200
const RUNS_INTERVAL_MS = 1000
/** Records of a batch that are announced one by one; beyond that, subscribers get a resync. */
const MAX_ANNOUNCED_RECORDS = 1000

/** How changes are announced on topics of which some have subscribers. The batch has only changes that concern them. */
type Announcement = [
  topics: TopicName[],
  work: (deps: Deps, batch: Batch, subscribed: string[]) => void | Promise<void>,
]

/**
 * Creates the listener that announces committed changes to clients (docs/events.md) on the topics that
 * runtime/changes/kinds.ts names. What an event contains is read after the change, once per batch, and only if someone
 * subscribes to it.
 */
export function createAnnouncer(deps: Deps): (changes: Change[]) => void {
  const { events, log, tasks } = deps
  const lastRuns = new Map<ChangeKind, string>()

  /** Sends a resync after a failure. */
  async function announce([topics, work]: Announcement, batch: Batch): Promise<void> {
    const concerned = new Map([...batch].filter(([kind]) => topics.some((topic) => scopeOf(kind, topic))))
    if (concerned.size === 0) return
    const subscribed = [...events.topics().filter((topic) => topics.some((name) => isNamed(topic, name)))]
    if (subscribed.length === 0) return
    try {
      await work(deps, concerned, subscribed)
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
    [['products'], announceProducts],
    [['product:{id}'], announceEachProduct],
    [['catalogue'], announceCatalogue],
    [['catalogue'], announceFeed],
    [['orders', 'my-orders'], announceOrders],
    [['contacts'], announceContacts],
    [['jobs'], announceJobs],
    [['alerts'], announceAlerts],
  ])
  const addRuns = batches(RUNS_INTERVAL_MS, [[['runs'], (_, batch) => announceRuns(deps, batch, lastRuns)]])
  return (changes) => {
    if (events.size === 0) return
    add(changes.filter(({ kind }) => !scopeOf(kind, 'runs')))
    addRuns(changes.filter(({ kind }) => scopeOf(kind, 'runs')))
  }
}

/** What a change means for a topic; undefined: nothing. */
function scopeOf(kind: ChangeKind, topic: TopicName) {
  return effectsOf(kind).topics?.[topic]
}

function isNamed(topic: string, name: TopicName): boolean {
  return name === 'product:{id}' ? productOfTopic(topic) !== null : topic === name
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

/** The products whose topic a batch concerns; null: any. */
function changedProducts(batch: Batch, topic: TopicName): Set<number> | null {
  const kinds = [...batch.keys()]
  return kinds.some((kind) => scopeOf(kind, topic) === 'all') ? null : changedIds(batch, ...kinds)
}

type RecordKinds<Row> = {
  created: ChangeKind[]
  changed: ChangeKind[]
  find(db: Deps['db'], ids: number[]): Promise<Row[]>
}
const ORDERS: RecordKinds<OrderRow> = {
  created: ['orderCreated'],
  changed: ['order', 'orderStatus'],
  find: findOrders,
}
const CONTACTS: RecordKinds<ContactRequestRow> = {
  created: ['contactCreated'],
  changed: ['contact'],
  find: findContacts,
}

/** The records that a batch created or changed, without a row if deleted; too many are left to a resync. */
async function readChanged<Row extends { id: number }>(
  { db, events }: Deps,
  kinds: RecordKinds<Row>,
  batch: Batch,
  subscribed: string[],
) {
  const [created, changed] = [changedIds(batch, ...kinds.created), changedIds(batch, ...kinds.changed)]
  if (created === null || changed === null || created.size + changed.size > MAX_ANNOUNCED_RECORDS) {
    events.resync(subscribed)
    return []
  }
  const ids = [...created.union(changed)]
  if (ids.length === 0) return []
  const rows = new Map((await kinds.find(db, ids)).map((row) => [row.id, row]))
  return ids.map((id) => ({ id, row: rows.get(id), created: created.has(id), changed: changed.has(id) }))
}

function publish({ events }: Deps, topic: Topic, event: Event, userId?: number): void {
  events.publish(topic, event, userId)
}

/** Names no product that the public doesn't see, unless it did until now. */
async function announceProducts(deps: Deps, batch: Batch): Promise<void> {
  const changed = changedProducts(batch, 'products')
  const hidden = changedIds(batch, 'productHidden')
  const ids = changed && hidden && new Set(await listShown(deps.db, [...changed])).union(hidden)
  if (ids?.size === 0) return
  const isNamed = ids !== null && ids.size <= MAX_ANNOUNCED_PRODUCTS
  publish(deps, 'products', { type: 'products.changed', ids: isNamed ? [...ids] : null })
}

async function announceEachProduct(deps: Deps, batch: Batch, subscribed: string[]): Promise<void> {
  const { db, events } = deps
  const changed = changedProducts(batch, 'product:{id}')
  const hidden = changedIds(batch, 'productHidden')
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
    // What happens to a hidden product is nobody's business.
    if (!shown.active && changed && hidden && !hidden.has(id)) continue
    publish(deps, `product:${id}`, { type: 'product.changed', id, ...shown })
  }
}

function announceCatalogue(deps: Deps, batch: Batch): void {
  if ([...batch.keys()].some((kind) => kind !== 'feed')) publish(deps, 'catalogue', { type: 'catalogue.changed' })
}

async function announceFeed(deps: Deps, batch: Batch): Promise<void> {
  const feed = batch.has('feed') ? await findNewestPublication(deps.db, 'feed') : undefined
  if (feed === undefined) return
  const { built_at, entries } = feed
  publish(deps, 'catalogue', { type: 'feed.published', builtAt: built_at.toISOString(), offers: entries })
}

async function announceOrders(deps: Deps, batch: Batch, subscribed: string[]): Promise<void> {
  for (const { id, row, created, changed } of await readChanged(deps, ORDERS, batch, subscribed)) {
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
  const records = await readChanged(deps, CONTACTS, batch, subscribed)
  for (const { id, row, created, changed } of records) {
    if (row && created) publish(deps, 'contacts', { type: 'contact.created', id })
    if (row && changed) publish(deps, 'contacts', { type: 'contact.changed', id, status: row.status })
  }
}

/** Whether a kind of change names something; a change of any does. */
function isChanged(batch: Batch, kind: ChangeKind, id: string): boolean {
  const ids = batch.get(kind)
  return ids === null || ids?.has(id) === true
}

function announceJobs(deps: Deps, batch: Batch): void {
  for (const { name, flag } of JOBS) {
    if (isChanged(batch, 'job', name) || isChanged(batch, 'setting', flag))
      publish(deps, 'jobs', { type: 'job.changed', name })
  }
}

async function announceAlerts(deps: Deps, batch: Batch): Promise<void> {
  const open = await listOpenAlerts(deps.db)
  for (const name of ALERT_NAMES.filter((one) => isChanged(batch, 'alert', one)))
    publish(deps, 'alerts', { type: 'alert.changed', name, open: open.includes(name) })
}

/** @param last the last event sent of each kind: the end of a run is announced once */
async function announceRuns(deps: Deps, batch: Batch, last: Map<ChangeKind, string>): Promise<void> {
  const publishNew = (kind: ChangeKind, event: Event) => {
    const text = JSON.stringify(event)
    if (last.get(kind) === text) return
    last.set(kind, text)
    publish(deps, 'runs', event)
  }
  for (const id of changedIds(batch, 'syncRun', 'syncEnd') ?? []) {
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
