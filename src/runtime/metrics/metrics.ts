import { PUBLICATION_KINDS } from '../../../db/tables/publications.ts'

export type Labels = { readonly [name: string]: string }

/** A value that only grows, by labels. */
export type Counter = {
  /** Counts one. The values of the labels must be few and known: each combination is kept for good. */
  add(labels?: Labels): void
  all(): { labels: Labels; value: number }[]
}

/** The durations of one combination of labels. */
type Series = {
  readonly labels: Labels
  /** Observations up to each bound, those beyond the last one left out; not cumulative. */
  readonly buckets: number[]
  sum: number
  count: number
}

/** Durations in seconds, by labels. */
export type Durations = {
  readonly bounds: readonly number[]
  /** Finds or creates a series, for callers that observe often. */
  series(labels: Labels): Series
  observe(series: Series, seconds: number): void
  all(): Series[]
}

/** What this process counts. Each is described where it is shown: services/operations/metrics.ts. */
export type Metrics = ReturnType<typeof createMetrics>

const REQUEST_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const JOB_BOUNDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]

const JOB_RESULTS = ['succeeded', 'failed']
const BUILD_RESULTS = ['published', 'unchanged', 'rejected', 'failed']
const ANSWERS = ['accepted', 'refused', 'unclear']
/** The common ones; every other is shown from its first count on. */
const REFUSALS = ['PRODUCT_UNAVAILABLE', 'VALIDATION_FAILED', 'RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL']

/** Plain numbers, because counting with labels in prom-client costs a microsecond, and loading it 50 ms of the start. */
export function createMetrics(jobs: readonly { name: string }[]) {
  const builds = PUBLICATION_KINDS.flatMap((kind) => labelled('result', BUILD_RESULTS, { kind }))
  return {
    requests: createDurations(REQUEST_BOUNDS),
    requestsAborted: createCounter([{}]),
    jobs: createDurations(JOB_BOUNDS),
    jobRuns: createCounter(jobs.flatMap(({ name }) => labelled('result', JOB_RESULTS, { name }))),
    publicationBuilds: createCounter(builds),
    ordersPlaced: createCounter([{}]),
    ordersRefused: createCounter(labelled('code', REFUSALS)),
    ordersSubmitted: createCounter(labelled('result', ANSWERS)),
  }
}

function labelled(label: string, values: readonly string[], others: Labels = {}): Labels[] {
  return values.map((value) => ({ ...others, [label]: value }))
}

/** @param expected combinations of labels that are shown before they are counted, so that their first count is an increase */
function createCounter(expected: Labels[]): Counter {
  const values = new Map(expected.map((labels) => [JSON.stringify(labels), { labels, value: 0 }]))
  return {
    add(labels = {}) {
      const key = JSON.stringify(labels)
      const counted = values.get(key)
      if (counted) counted.value += 1
      else values.set(key, { labels, value: 1 })
    },
    all: () => [...values.values()],
  }
}

function createDurations(bounds: readonly number[]): Durations {
  const all = new Map<string, Series>()
  return {
    bounds,
    series(labels) {
      const key = JSON.stringify(labels)
      const known = all.get(key)
      if (known) return known
      const series = { labels, buckets: bounds.map(() => 0), sum: 0, count: 0 }
      all.set(key, series)
      return series
    },
    observe(series, seconds) {
      let index = 0
      while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1
      if (index < bounds.length) series.buckets[index] = (series.buckets[index] ?? 0) + 1
      series.sum += seconds
      series.count += 1
    },
    all: () => [...all.values()],
  }
}
