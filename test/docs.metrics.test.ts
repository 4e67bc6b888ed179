import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { generateCatalogue } from '../demo/generate.ts'
import { runDueJob } from '../src/services/operations/jobs.ts'
import { METRICS_TOKEN, type MetricsPage, scrape } from './support/metrics.ts'
import { placeOrder } from './support/orders.ts'
import { startSupplierShop } from './support/supplier-shop.ts'

// docs/metrics.md, the alert rules and the dashboard name metrics that a shop shows.
const read = (path: string) => readFile(join(import.meta.dirname, '..', path), 'utf8')

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

/** Words of PromQL that stand where a metric may. */
const WORDS = ['by', 'and', 'or', 'unless', 'on', 'without', 'bool', 'offset', 'up']

/** The metrics of a PromQL expression: what is left without labels, durations and functions. */
function metricsOf(expr: string): string[] {
  const plain = expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
    .replaceAll(/\b(by|on|without)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\b\w+(?=\s*\()/g, ' ')
  return [...plain.matchAll(/\b[a-z]\w*\b/g)].map(([name]) => name).filter((name) => !WORDS.includes(name))
}

const unknownIn = (expr: string) =>
  metricsOf(expr).filter((name) => !shown.types.has(name) && !shown.types.has(name.replace(/_(bucket|sum|count)$/, '')))

test('docs/metrics.md lists every metric of the shop, with its type', async () => {
  const rows = (await read('docs/metrics.md')).matchAll(/^\| `(\w+)` \| (\w+) \|/gm)
  const listed = [...rows].map(([, name = '', type = '']): [string, string] => [name, type])
  const own = [...shown.types].filter(([name]) => !/^(process|nodejs)_/.test(name))
  expect(new Map(listed)).toEqual(new Map(own))
})

test('its queries, the alert rules and the dashboard name metrics that exist', async () => {
  const queries = [...(await read('docs/metrics.md')).matchAll(/^\| `\w+` .* \| `(.+)` \|$/gm)].map(
    ([, query = '']) => query,
  )
  const groups: { rules: { expr: string }[] }[] = parse(await read('deploy/prometheus/alerts.yml')).groups
  const rules = groups.flatMap((group) => group.rules.map(({ expr }) => expr))
  const dashboard: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(await read('deploy/grafana/shop.json'))
  const targets = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map(({ expr }) => expr))
  for (const exprs of [queries, rules, targets]) {
    expect(exprs.flatMap(metricsOf).length).toBeGreaterThan(10)
    expect(exprs.flatMap(unknownIn)).toEqual([])
  }
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
