import { Counter, Gauge, Registry } from 'prom-client'
import type { FiguresRow } from '../../../db/queries/operations/figures.ts'
import type { Deps } from '../../deps.ts'
import { ALERT_NAMES } from '../../rules/operations/alerts.ts'

type MetricsDeps = Pick<Deps, 'now' | 'caches' | 'events' | 'metrics' | 'poolCounts' | 'figures'>

/** A metric whose values are read when it is shown. One without samples is left out. */
type Family = {
  name: string
  help: string
  type: 'counter' | 'gauge'
  samples: { labels?: { [name: string]: string }; value: number }[]
}

/**
 * Shows all metrics in the Prometheus text format (contract section 11, "Metrics"). Those of the database are absent
 * while it doesn't answer.
 * @param inFlight requests without a completed response
 */
export async function showMetrics(
  deps: MetricsDeps,
  inFlight: number,
): Promise<{ type: string; text: string }> {
  const [figures, writable] = await Promise.all([deps.figures.database(), deps.figures.storage()])
  const read = registryOf([
    gauge('http_requests_in_flight', 'Requests without a completed response', inFlight),
    gauge('websocket_connections', 'Clients of live events', deps.events.size),
    ...cacheFamilies(deps),
    ...poolFamilies(deps),
    gauge('storage_writable', 'Whether storage and DATA_DIR can be written', writable === null ? 0 : 1),
    gauge('database_up', 'Whether the database answered this scrape', figures === null ? 0 : 1),
    ...(figures === null ? [] : databaseFamilies(figures, deps.now())),
  ])
  const all = Registry.merge([deps.metrics.registry, read])
  return { type: all.contentType, text: await all.metrics() }
}

function registryOf(families: Family[]): Registry {
  const registry = new Registry()
  for (const { name, help, type, samples } of families) {
    const [first] = samples
    if (first === undefined) continue
    const settings = { name, help, labelNames: Object.keys(first.labels ?? {}), registers: [registry] }
    const metric = type === 'counter' ? new Counter(settings) : new Gauge(settings)
    for (const { labels, value } of samples) metric.inc(labels ?? {}, value)
  }
  return registry
}

function cacheFamilies({ caches }: MetricsDeps): Family[] {
  const stats = [...caches.stats()].map(([name, counts]) => ({ labels: { cache: name }, ...counts }))
  const of = (key: 'hits' | 'misses' | 'evictions' | 'entries' | 'bytes') =>
    stats.flatMap(({ labels, [key]: value }) => (value === null ? [] : { labels, value }))
  return [
    { name: 'cache_hits_total', help: 'Reads that found an entry', type: 'counter', samples: of('hits') },
    { name: 'cache_misses_total', help: 'Reads that found none', type: 'counter', samples: of('misses') },
    {
      name: 'cache_evictions_total',
      help: 'Entries that made room for others',
      type: 'counter',
      samples: of('evictions'),
    },
    { name: 'cache_entries', help: 'Entries', type: 'gauge', samples: of('entries') },
    {
      name: 'cache_bytes',
      help: 'Size of the entries, of caches that are limited by it',
      type: 'gauge',
      samples: of('bytes'),
    },
  ]
}

function poolFamilies({ poolCounts }: MetricsDeps): Family[] {
  const pool = poolCounts()
  return [
    gauge('database_pool_max', 'Connections that the pool may open', pool.max),
    gauge('database_pool_total', 'Open connections of the pool', pool.total),
    gauge('database_pool_idle', 'Open connections without a query', pool.idle),
    gauge('database_pool_waiting', 'Queries that wait for a connection', pool.waiting),
  ]
}

function databaseFamilies(figures: FiguresRow, now: Date): Family[] {
  const age = (time: Date | null) =>
    time === null ? [] : [{ value: Math.max(0, now.getTime() - time.getTime()) / 1000 }]
  const queues = [
    { labels: { queue: 'scraping' }, value: figures.scraping_waiting, oldest: figures.scraping_oldest },
    { labels: { queue: 'mail' }, value: figures.mails_waiting, oldest: figures.mails_oldest },
    {
      labels: { queue: 'webhooks' },
      value: figures.webhooks_waiting,
      oldest: figures.webhooks_oldest,
    },
  ]
  return [
    {
      name: 'job_last_success_timestamp_seconds',
      help: 'End of the newest successful run on any instance',
      type: 'gauge',
      samples: figures.job_successes.map(({ job, finished_at }) => ({
        labels: { name: job },
        value: Date.parse(finished_at) / 1000,
      })),
    },
    {
      name: 'sync_lag_seconds',
      help: 'Since the start of the newest successful sync',
      type: 'gauge',
      samples: age(figures.synced_at),
    },
    {
      name: 'feed_age_seconds',
      help: 'Since the published feed was built',
      type: 'gauge',
      samples: figures.feeds.flatMap(({ kind, built_at }) =>
        age(new Date(built_at)).map((sample) => ({ labels: { kind }, ...sample })),
      ),
    },
    {
      name: 'feed_offers',
      help: 'Offers of the published feed',
      type: 'gauge',
      samples: figures.feeds.map(({ kind, offers }) => ({ labels: { kind }, value: offers })),
    },
    { name: 'queue_depth', help: 'Entries that wait or are in progress', type: 'gauge', samples: queues },
    {
      name: 'queue_oldest_seconds',
      help: 'Age of the oldest entry that waits or is in progress; 0 when the queue is empty',
      type: 'gauge',
      samples: queues.map(({ labels, oldest }) => ({ labels, value: age(oldest)[0]?.value ?? 0 })),
    },
    gauge('mails_failed', 'Mails that were given up', figures.mails_failed),
    {
      name: 'alerts_open',
      help: 'Whether the alert of this name is open',
      type: 'gauge',
      samples: ALERT_NAMES.map((name) => ({
        labels: { name },
        value: Number(figures.alerts.includes(name)),
      })),
    },
  ]
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ value }] }
}
