import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, Registry } from 'prom-client'
import { checkWritable } from '../../../db/queries/operations/figures.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'

const CHECK_TIMEOUT_MS = 2000

/**
 * Checks that database and storage accept writes (contract section 11).
 * @param draining the server is about to stop
 * @throws AppError 503 that names the failed part
 */
export async function checkReadiness({ db, storage }: Deps, draining: boolean) {
  if (draining) throw new AppError(503, 'UNAVAILABLE', 'The service is stopping')
  const check = (part: string, work: Promise<unknown>) =>
    Promise.race([work, rejectAfter(CHECK_TIMEOUT_MS)]).catch((cause: unknown) => {
      throw new AppError(503, 'UNAVAILABLE', `The ${part} does not answer or is read-only`, { cause })
    })
  await Promise.all([check('database', checkWritable(db)), check('storage', storage.check())])
  return { status: 'UP' as const }
}

/** For a race with work that may never end. */
export async function rejectAfter(timeoutMs: number): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false })
  throw new Error(`No answer within ${timeoutMs / 1000} s`)
}

type Sample = { labels?: { [name: string]: string }; value: number }

/** Adds a metric with the values that it has now. One without samples is left out. */
type Add = (name: string, help: string, samples: Sample[] | number) => void

/** Metrics of the database, with what they mean. */
const FIGURES = [
  ['job_last_success_timestamp_seconds', 'End of the newest successful run on any instance'],
  ['sync_lag_seconds', 'Since the start of the newest successful sync'],
  ['feed_age_seconds', 'Since the published feed was built'],
  ['feed_offers', 'Offers of the published feed'],
  ['queue_depth', 'Entries that wait or are in progress'],
  ['alerts_open', 'Whether the alert of this name is open'],
] as const

/**
 * Shows all metrics in the Prometheus text format (contract section 11, "Metrics"). Those of the database are absent
 * while it doesn't answer.
 * @param inFlight requests without a completed response
 */
export async function showMetrics(deps: Deps, inFlight: number): Promise<{ type: string; text: string }> {
  const figures = await deps.figures()
  const registry = new Registry()
  const gauge = adderOf(Gauge, registry)
  gauge('http_requests_in_flight', 'Requests without a completed response', inFlight)
  gauge('websocket_connections', 'Clients of live events', deps.events.size)
  const pool = deps.poolCounts()
  gauge('database_pool_total', 'Open connections of the pool', pool.total)
  gauge('database_pool_idle', 'Open connections without a query', pool.idle)
  gauge('database_pool_waiting', 'Queries that wait for a connection', pool.waiting)
  addCaches(deps, gauge, adderOf(Counter, registry))
  gauge('database_up', 'Whether the database answered this scrape', figures === null ? 0 : 1)
  for (const [name, help] of FIGURES) {
    const samples = figures?.filter((figure) => figure.name === name)
    gauge(name, help, samples ?? [])
  }
  const all = Registry.merge([deps.metrics.registry, registry])
  return { type: all.contentType, text: await all.metrics() }
}

function adderOf(Metric: typeof Gauge | typeof Counter, registry: Registry): Add {
  return (name, help, given) => {
    const samples: Sample[] = typeof given === 'number' ? [{ value: given }] : given
    if (samples.length === 0) return
    const labelNames = Object.keys(samples[0]?.labels ?? {})
    const metric = new Metric({ name, help, labelNames, registers: [registry] })
    for (const { labels = {}, value } of samples) metric.inc(labels, value)
  }
}

function addCaches({ caches }: Deps, gauge: Add, counter: Add): void {
  const stats = [...caches.stats()].map(([name, counts]) => ({ labels: { cache: name }, ...counts }))
  const of = (key: 'hits' | 'misses' | 'evictions' | 'bytes') =>
    stats.flatMap(({ labels, [key]: value }) => (value === null ? [] : { labels, value }))
  counter('cache_hits_total', 'Reads that found an entry', of('hits'))
  counter('cache_misses_total', 'Reads that found none', of('misses'))
  counter('cache_evictions_total', 'Entries that made room for others', of('evictions'))
  gauge('cache_bytes', 'Size of the entries, of caches that are limited by it', of('bytes'))
}
