import { findContactStatuses, findOrderDetails } from '../../../db/queries/events/details.ts'
import { findNewestPublication } from '../../../db/queries/published/publications.ts'
import { findOffers } from '../../../db/queries/stock/availability.ts'
import type { Deps } from '../../deps.ts'
import { isOwnOrdersTopic, ownOrdersTopic, productOfTopic, productTopic } from '../../rules/events/topics.ts'
import { mayBePublic, settingEffects } from '../../rules/settings/keys.ts'
import { isAvailable } from '../../rules/stock/pricing.ts'
import type { Change, ChangeKind } from '../../runtime/changes/changes.ts'
import { type Batch, createBatches } from '../../runtime/events/batches.ts'
import { CATALOGUE_PARTS, type Event, MAX_ANNOUNCED_PRODUCTS, type Topic } from '../../schemas/events.ts'
import { findPipelineRun } from '../pipeline/runs.ts'
import { countScrapeTasks } from '../scraping/queue.ts'
import { findSyncRun } from '../supplier/json.ts'

type EventDeps = Pick<Deps, 'db' | 'events' | 'log' | 'tasks'>

/** A burst of changes, as a sync makes, is announced at most five times a second. */
const INTERVAL_MS = 200
const RUNS_INTERVAL_MS = 1000
/** Records of a batch that are announced one by one; of more, the subscribers read anew. */
const MAX_ANNOUNCED_RECORDS = 1000

const RUN_KINDS: ChangeKind[] = ['syncRun', 'pipelineRun', 'scrapeQueue']

/**
 * Creates the listener that tells clients of committed changes (contract section 12). What an event tells is read after
 * the change, once for all changes of a batch, and only if someone subscribes to it.
 */
export function createAnnouncer(deps: EventDeps): (changes: Change[]) => void {
  const { events, log, tasks } = deps
  const lastRuns = new Map<ChangeKind, string>()

  /** A failure leaves the subscribers uncertain: they read anew. */
  async function attempt(
    isConcerned: (topic: string) => boolean,
    announce: () => Promise<void>,
  ): Promise<void> {
    await announce().catch((err: unknown) => {
      log.warn({ err }, 'live events not sent')
      events.resync(events.topics().filter(isConcerned))
    })
  }

  const handle = (batch: Batch) =>
    tasks
      .run(async () => {
        announceProducts(deps, batch)
        announceCatalogue(deps, batch)
        await Promise.all([
          attempt(isProductTopic, () => announceEachProduct(deps, batch)),
          attempt(
            (topic) => topic === 'catalogue',
            () => announceFeed(deps, batch),
          ),
          attempt(isOrderTopic, () => announceOrders(deps, batch)),
          attempt(
            (topic) => topic === 'contacts',
            () => announceContacts(deps, batch),
          ),
        ])
      })
      .catch(() => {})
  const handleRuns = (batch: Batch) =>
    tasks
      .run(() =>
        attempt(
          (topic) => topic === 'runs',
          () => announceRuns(deps, batch, lastRuns),
        ),
      )
      .catch(() => {})

  const add = createBatches(INTERVAL_MS, handle)
  const addRuns = createBatches(RUNS_INTERVAL_MS, handleRuns)
  return (changes) => {
    if (events.size === 0) return
    add(changes.filter(({ kind }) => !RUN_KINDS.includes(kind)))
    addRuns(changes.filter(({ kind }) => RUN_KINDS.includes(kind)))
  }
}

const isProductTopic = (topic: string) => productOfTopic(topic) !== null
const isOrderTopic = (topic: string) => topic === 'orders' || isOwnOrdersTopic(topic)

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

function publish(deps: EventDeps, topic: Topic, event: Event): void {
  deps.events.publish(topic, event)
}

/** Lists show more of other records than of their own: all of them count as changed with those. */
function announceProducts(deps: EventDeps, batch: Batch): void {
  const showsOthers = (['category', 'brand', 'tag'] as const).some((kind) => batch.has(kind))
  const settings = changedSettings(batch, (key) => settingEffects(key).includes('catalogue'))
  const ids = showsOthers || settings ? null : changedIds(batch, 'product', 'stock')
  if (ids?.size === 0) return
  const isNamed = ids !== null && ids.size <= MAX_ANNOUNCED_PRODUCTS
  publish(deps, 'products', { type: 'products.changed', ids: isNamed ? [...ids] : null })
}

async function announceEachProduct(deps: EventDeps, batch: Batch): Promise<void> {
  const { db, events } = deps
  const changed = changedIds(batch, 'product', 'stock')
  const ids = changed
    ? [...changed].filter((id) => events.has(productTopic(id)))
    : [...events.topics().flatMap((topic) => [productOfTopic(topic) ?? []].flat())]
  if (ids.length === 0) return
  if (ids.length > MAX_ANNOUNCED_RECORDS) return events.resync(ids.map(productTopic))
  const offers = new Map((await findOffers(db, ids)).map((offer) => [offer.id, offer]))
  for (const id of ids) {
    const offer = offers.get(id)
    const shown = offer?.active
      ? {
          finalPrice: offer.final_price === null ? null : Number(offer.final_price),
          available: isAvailable(offer),
          active: true,
        }
      : { finalPrice: null, available: false, active: false }
    publish(deps, productTopic(id), { type: 'product.changed', id, ...shown })
  }
}

const PART_KINDS = {
  categories: 'category',
  brands: 'brand',
  banners: 'banner',
  features: 'feature',
} as const

function announceCatalogue(deps: EventDeps, batch: Batch): void {
  const parts = CATALOGUE_PARTS.filter((part) =>
    part === 'settings' ? changedSettings(batch, mayBePublic) : batch.has(PART_KINDS[part]),
  )
  if (parts.length > 0) publish(deps, 'catalogue', { type: 'catalogue.changed', parts })
}

function changedSettings(batch: Batch, matters: (key: string) => boolean): boolean {
  const keys = batch.get('setting')
  return keys === null || [...(keys ?? [])].map(String).some(matters)
}

async function announceFeed(deps: EventDeps, batch: Batch): Promise<void> {
  if (!batch.has('feed') || !deps.events.has('catalogue')) return
  const feed = await findNewestPublication(deps.db, 'feed')
  if (feed === undefined) return
  const { built_at, entries } = feed
  publish(deps, 'catalogue', { type: 'feed.published', builtAt: built_at.toISOString(), offers: entries })
}

async function announceOrders(deps: EventDeps, batch: Batch): Promise<void> {
  const { db, events } = deps
  const created = changedIds(batch, 'orderCreated')
  const changed = changedIds(batch, 'order')
  if ((created?.size === 0 && changed?.size === 0) || !events.topics().some(isOrderTopic)) return
  if (created === null || changed === null || created.size + changed.size > MAX_ANNOUNCED_RECORDS)
    return events.resync(events.topics().filter(isOrderTopic))
  const ids = [...new Set([...created, ...changed])]
  const orders = new Map((await findOrderDetails(db, ids)).map((order) => [order.id, order]))
  for (const id of ids) {
    const order = orders.get(id)
    if (order === undefined) {
      publish(deps, 'orders', { type: 'order.deleted', id })
      continue
    }
    const { number, status, version, user_id } = order
    if (created.has(id))
      publish(deps, 'orders', { type: 'order.created', id, number, total: Number(order.total) })
    if (changed.has(id)) publish(deps, 'orders', { type: 'order.changed', id, status, version })
    if (user_id !== null) publish(deps, ownOrdersTopic(user_id), { type: 'order.changed', id, status })
  }
}

async function announceContacts(deps: EventDeps, batch: Batch): Promise<void> {
  const { db, events } = deps
  const created = changedIds(batch, 'contactCreated')
  const changed = changedIds(batch, 'contact')
  if (!events.has('contacts') || (created?.size === 0 && changed?.size === 0)) return
  if (created === null || changed === null || created.size + changed.size > MAX_ANNOUNCED_RECORDS)
    return events.resync(['contacts'])
  const ids = [...new Set([...created, ...changed])]
  const statuses = new Map((await findContactStatuses(db, ids)).map(({ id, status }) => [id, status]))
  for (const id of ids) {
    const status = statuses.get(id)
    if (status === undefined) publish(deps, 'contacts', { type: 'contact.deleted', id })
    if (status && created.has(id)) publish(deps, 'contacts', { type: 'contact.created', id })
    if (status && changed.has(id)) publish(deps, 'contacts', { type: 'contact.changed', id, status })
  }
}

/** @param last what was sent of each kind: a run that ended is told once */
async function announceRuns(deps: EventDeps, batch: Batch, last: Map<ChangeKind, string>): Promise<void> {
  const { events } = deps
  if (!events.has('runs')) return
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
