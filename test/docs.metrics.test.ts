import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { generateCatalogue } from '../demo/generate.ts'
import { runDueJob } from '../src/services/operations/jobs.ts'
import { METRICS_TOKEN, type MetricsPage, scrape } from './support/metrics.ts'
import { placeOrder } from './support/orders.ts'
import { startSupplierShop } from './support/supplier-shop.ts'

// The table of docs/metrics.md, the alert rules and the dashboard against what a shop shows.
const read = (path: string) => readFile(join(import.meta.dirname, '..', path), 'utf8')

type Rule = { alert: string; expr: string; annotations: { summary: string; action: string } }
type Panel = { type: string; title: string; targets?: { expr: string; legendFormat: string }[] }

const page = await read('docs/metrics.md')
const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \|\s*(.*?)\s*\| .* \| `(.+)` \|$/gm)].map(
  ([, name = '', type = '', labels = '', query = '']) => ({ name, type, labels, query }),
)
const rules: Rule[] = parse(await read('deploy/prometheus/alerts.yml')).groups.flatMap(
  ({ rules: all }: { rules: Rule[] }) => all,
)
const panels: Panel[] = JSON.parse(await read('deploy/grafana/shop.json')).panels

let world: Awaited<ReturnType<typeof startSupplierShop>>
let shown: MetricsPage

beforeAll(async () => {
  world = await startSupplierShop({ METRICS_TOKEN }, generateCatalogue({ products: 20, seed: 1 }), {
    publishes: true,
  })
  const { shop } = world
  await world.sync()
  const { body } = await shop.call('GET', '/api/v1/products?inStock=true')
  await placeOrder(shop, [{ productId: Object(body).content[0].id, quantity: 1 }])
  const job = shop.deps.jobs.find(({ name }) => name === 'purge')
  if (job === undefined) throw new Error('no job to fail')
  const failing = { ...job, run: () => Promise.reject(new Error('on purpose')) }
  await runDueJob(shop.deps, failing, new Date())
  await shop.deps.db
    .insertInto('alerts')
    .values({ name: 'SyncWaiting', details: '', began_at: new Date(), absent_since: null, ended_at: null })
    .execute()
  // What is counted in the background, and at the end of the request.
  const counted = [
    ['http_request_duration_seconds_count', { route: '/api/v1/orders' }],
    ['feed_offers', { kind: 'feed' }],
  ] as const
  const areCounted = async () => {
    shown = await scrape(shop)
    return counted.every(([name, labels]) => (shown.value(name, labels) ?? 0) > 0)
  }
  await vi.waitUntil(areCounted, { timeout: 90_000 })
})
afterAll(() => world.close())

/** Added by Prometheus to every sample. */
const ADDED = ['instance', 'job']
const WORDS = ['by', 'and', 'or', 'unless', 'on', 'without', 'bool', 'offset']
const CALL = /\b[a-z_]+(?=\s*\()/g

/** The metrics of a PromQL expression with their label matchers, and the labels that it groups by. */
function partsOf(expr: string) {
  const plain = expr.replaceAll('$__rate_interval', '5m').replaceAll(/\[\w+\]/g, '')
  const grouped = [...plain.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/))
  const selectors = plain.replaceAll(/\bby\s*\([^)]*\)/g, ' ').replaceAll(CALL, ' ')
  const metrics = [...selectors.matchAll(/\b([a-z]\w*)\b\s*(?:\{([^}]*)\})?/g)]
    .map(([, name = '', matchers = '']) => ({
      name,
      matchers: [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
      ),
    }))
    .filter(({ name }) => !WORDS.includes(name))
  return { grouped, metrics }
}

const base = (name: string) => (shown.types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))
const labelsOf = (name: string) =>
  new Set(
    shown.samples.filter((sample) => base(sample.name) === base(name)).flatMap(({ labels }) => Object.keys(labels)),
  )

/** What an expression names and the shop doesn't show. */
function strangersIn(expr: string): string[] {
  const { grouped, metrics } = partsOf(expr)
  if (metrics.length === 0) return ['no metric']
  return metrics
    .filter(({ name }) => name !== 'up')
    .flatMap(({ name, matchers }) => {
      if (!shown.types.has(base(name))) return [name]
      const known = labelsOf(name)
      // Node may have had nothing to measure yet.
      if (known.size === 0 && name.startsWith('nodejs_')) return []
      const unknown = [...grouped, ...matchers.map(({ label }) => label)].filter(
        (label) => !known.has(label) && !ADDED.includes(label),
      )
      const values = matchers
        // No request fails here.
        .filter(({ label, operator }) => operator === '=' && label !== 'status' && known.has(label))
        .filter(
          ({ label, value }) =>
            !shown.samples.some((sample) => base(sample.name) === base(name) && sample.labels[label] === value),
        )
      return [
        ...unknown.map((label) => `${name} by ${label}`),
        ...values.map(({ label, value }) => `${name} ${label}=${value}`),
      ]
    })
}

test('every metric of the shop is in the table, with its type, labels and a query', () => {
  const own = [...shown.types].filter(([name]) => !/^(process|nodejs)_/.test(name))
  expect(new Map(rows.map(({ name, type }) => [name, type]))).toEqual(new Map(own))
  for (const { name, labels } of rows) {
    const listed = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label)
    expect([name, ...listed.toSorted()]).toEqual([
      name,
      ...[...labelsOf(name)].filter((label) => label !== 'le').toSorted(),
    ])
  }
})

test.each(rows)('$name: the query names what the shop shows', ({ name, query }) => {
  expect(strangersIn(query)).toEqual([])
  expect(partsOf(query).metrics.map((metric) => base(metric.name))).toContain(name)
})

test.each(rules)('$alert names what the shop shows, and says what to do', ({ expr, annotations }) => {
  expect(strangersIn(expr)).toEqual([])
  expect(annotations).toEqual({ summary: expect.any(String), action: expect.any(String) })
})

test.each(panels.filter(({ type }) => type !== 'row'))('panel $title names what the shop shows', ({ targets = [] }) => {
  expect(targets.length).toBeGreaterThan(0)
  for (const { expr, legendFormat } of targets) {
    expect(strangersIn(expr)).toEqual([])
    const shownLabels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
    const known = partsOf(expr).metrics.flatMap(({ name }) => [...labelsOf(name)])
    expect(shownLabels.filter((label) => ![...known, ...partsOf(expr).grouped, ...ADDED].includes(label))).toEqual([])
  }
})

test('shares and durations of all requests leave out health checks, which would outnumber those of a small shop', () => {
  const exprs = [...rules, ...panels.flatMap(({ targets = [] }) => targets)].map(({ expr }) => expr)
  const ofAllRoutes = exprs.map(partsOf).filter(({ grouped }) => !grouped.includes('route'))
  const requests = ofAllRoutes.flatMap(({ metrics }) => metrics).filter(({ name }) => name.startsWith('http_request_d'))
  expect(requests.length).toBeGreaterThan(5)
  for (const { matchers } of requests) expect(matchers.map(({ label }) => label)).toContain('route')
})

test('shows the sync, the order, the failed job and the alert', () => {
  expect(shown.value('job_runs_total', { name: 'supplier-sync', result: 'succeeded' })).toBe(1)
  expect(shown.value('job_runs_total', { name: 'purge', result: 'failed' })).toBe(1)
  expect(shown.value('job_duration_seconds_count', { name: 'purge' })).toBe(1)
  expect(shown.value('job_last_success_timestamp_seconds', { name: 'supplier-sync' })).toBeGreaterThan(1e9)
  expect(shown.value('job_last_success_timestamp_seconds', { name: 'purge' })).toBeUndefined()
  expect(shown.value('sync_lag_seconds')).toBeGreaterThan(0)
  expect(shown.value('feed_offers')).toBeGreaterThan(0)
  expect(shown.value('orders_placed_total')).toBe(1)
  expect(shown.value('alerts_open', { name: 'SyncStale' })).toBeUndefined()
  expect(shown.value('alerts_open', { name: 'SyncWaiting' })).toBe(1)
})
