import { setTimeout as delay } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Histogram, Registry } from '@prometheus-io/client'
import { LRUCache } from 'lru-cache'

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const JOB_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]

const JOB_RESULTS = ['succeeded', 'failed']
const ANSWERS = ['accepted', 'refused', 'unclear']
/** The common ones; any other appears with its first count. */
const REFUSALS = ['PRODUCT_UNAVAILABLE', 'VALIDATION_FAILED', 'RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL']

let ofNode: Registry | undefined

/** Node's own metrics. The process has one set, however many shops it runs: what collects them can't be stopped. */
function nodeMetrics(): Registry {
  if (ofNode === undefined) {
    ofNode = new Registry()
    collectDefaultMetrics({ register: ofNode })
  }
  return ofNode
}

/**
 * What this process counts, in a registry of the shop's own; docs/metrics.md describes each. Labels must have few and known
 * values: each combination stays in memory.
 */
export function createMetrics(jobs: readonly { name: string }[]) {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, buckets, labelNames, registers })
  const metrics = {
    requests: histogram(
      'http_request_duration_seconds',
      'Duration of answered requests by method, route pattern and class of the status',
      REQUEST_BUCKETS,
      'method',
      'route',
      'status',
    ),
    jobs: histogram('job_duration_seconds', 'Duration of the runs that this process ended', JOB_BUCKETS, 'name'),
    jobRuns: counter('job_runs_total', 'Runs that this process ended', 'name', 'result'),
    ordersPlaced: counter('orders_placed_total', 'Orders placed'),
    ordersRefused: counter('orders_refused_total', 'Orders refused, by the code of the error', 'code'),
    ordersSubmitted: counter('orders_submitted_total', 'Submissions to the supplier, by result', 'result'),
  }
  // Prometheus sees the first count of a series as an increase only if the series was there before.
  for (const { name } of jobs) for (const result of JOB_RESULTS) metrics.jobRuns.inc({ name, result }, 0)
  for (const code of REFUSALS) metrics.ordersRefused.inc({ code }, 0)
  for (const result of ANSWERS) metrics.ordersSubmitted.inc({ result }, 0)
  return { ...metrics, registries: [nodeMetrics(), registry] }
}

const FIGURES_TTL_MS = 10_000
/** Shorter than the ten seconds after which Prometheus gives up on a scrape. */
const FIGURES_TIMEOUT_MS = 2000

/** Reads figures at most once every ten seconds, for all callers. Null if they can't be read in time. */
export function createFigures<T>(
  read: () => Promise<T>,
  onFailure: (error: unknown) => void,
  ttlMs = FIGURES_TTL_MS,
): () => Promise<T | null> {
  const fetchMethod = async () => ({
    value: await read().catch((error: unknown) => {
      onFailure(error)
      return null
    }),
  })
  const cache = new LRUCache<'figures', { value: T | null }>({ max: 1, ttl: ttlMs, fetchMethod })
  const current = async () => (await cache.fetch('figures'))?.value ?? null
  return () => Promise.race([current(), delay(FIGURES_TIMEOUT_MS, null, { ref: false })])
}
