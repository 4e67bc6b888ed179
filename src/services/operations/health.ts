import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, Registry } from '@prometheus-io/client'
import { checkWritable } from '../../../db/queries/operations/figures.ts'
import type { Deps } from '../../deps.ts'
import { AppError, messageOf } from '../../errors.ts'

const CHECK_TIMEOUT_MS = 2000

/** Checks that database and storage accept writes (docs/operations.md), and logs when that changes. */
export function createReadinessCheck(deps: Deps) {
  const failed = new Set<string>()

  async function check(part: string, work: Promise<unknown>): Promise<void> {
    try {
      await Promise.race([work, rejectAfter(CHECK_TIMEOUT_MS)])
      if (failed.delete(part)) deps.log.info({ part }, 'ready again')
    } catch (cause) {
      // Probes come every few seconds.
      if (!failed.has(part)) deps.log.warn({ part, error: messageOf(cause) }, 'not ready')
      failed.add(part)
      throw new AppError(503, 'UNAVAILABLE', `The ${part} does not answer or is read-only`, { cause })
    }
  }

  /** @param draining the server is about to stop @throws AppError 503 that names the failed part */
  return async (draining: boolean) => {
    if (draining) throw new AppError(503, 'UNAVAILABLE', 'The service is stopping')
    await Promise.all([check('database', checkWritable(deps.db)), check('storage', deps.storage.check())])
    return { status: 'UP' as const }
  }
}

/** For a race with work that may never end. */
export async function rejectAfter(timeoutMs: number): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false })
  throw new Error(`No answer within ${timeoutMs / 1000} s`)
}

/** Metrics of the database, with what they mean. */
const FIGURES = [
  ['job_last_success_timestamp_seconds', 'End of the newest successful run on any instance'],
  ['sync_lag_seconds', 'Since the start of the newest successful sync'],
  ['feed_age_seconds', 'Since the published feed was built'],
  ['feed_offers', 'Offers of the published feed'],
  ['queue_depth', 'Entries that wait or are in progress'],
  ['alerts_open', 'Whether the alert of this name is open'],
] as const

type Sample = { labels?: { [name: string]: string }; value: number }

/**
 * Shows all metrics in the Prometheus text format (docs/metrics.md). Those of the database are absent
 * while it doesn't answer.
 * @param inFlight requests without a completed response
 */
export async function showMetrics(deps: Deps, inFlight: number): Promise<{ type: string; text: string }> {
  const figures = await deps.figures()
  const registry = new Registry()
  /** Adds a metric with the values that it has now. One without samples is left out. */
  function add(Metric: typeof Gauge | typeof Counter, name: string, help: string, samples: Sample[]): void {
    if (samples.length === 0) return
    const metric = new Metric({ name, help, labelNames: Object.keys(samples[0]?.labels ?? {}), registers: [registry] })
    for (const { labels = {}, value } of samples) metric.inc(labels, value)
  }
  const gauge = (name: string, help: string, value: number) => add(Gauge, name, help, [{ value }])
  gauge('http_requests_in_flight', 'Requests without a completed response', inFlight)
  gauge('websocket_connections', 'Clients of live events', deps.events.size)
  const pool = deps.poolCounts()
  gauge('database_pool_total', 'Open connections of the pool', pool.total)
  gauge('database_pool_idle', 'Open connections without a query', pool.idle)
  gauge('database_pool_waiting', 'Queries that wait for a connection', pool.waiting)
  gauge('database_up', 'Whether the database answered this scrape', figures === null ? 0 : 1)
  const caches = [...deps.caches.stats()]
  const ofCaches = (count: 'hits' | 'misses' | 'evictions' | 'bytes') =>
    caches.flatMap(([cache, { [count]: value }]) => (value === null ? [] : { labels: { cache }, value }))
  add(Counter, 'cache_hits_total', 'Reads that found an entry', ofCaches('hits'))
  add(Counter, 'cache_misses_total', 'Reads that found none', ofCaches('misses'))
  add(Counter, 'cache_evictions_total', 'Entries that made room for others', ofCaches('evictions'))
  add(Gauge, 'cache_bytes', 'Size of the entries, of caches that are limited by it', ofCaches('bytes'))
  for (const [name, help] of FIGURES) add(Gauge, name, help, figures?.filter((figure) => figure.name === name) ?? [])
  const all = Registry.merge([...deps.metrics.registries, registry])
  return { type: all.contentType, text: await all.metrics() }
}
