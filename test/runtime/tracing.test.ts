import { afterEach, expect, test, vi } from 'vitest'
import { generateCatalogue } from '../../demo/generate.ts'
import { createLog } from '../../src/log.ts'
import { startTracing } from '../../src/runtime/tracing.ts'
import { createTestDatabase } from '../support/database.ts'
import { createProduct } from '../support/factories.ts'
import { sendOrder } from '../support/orders.ts'
import { startServing } from '../support/serving-process.ts'
import { startTestShop } from '../support/shop.ts'
import { startSupplierShop } from '../support/supplier-shop.ts'
import { type ReceivedSpan, startTraceCollector } from '../support/trace-collector.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function startCollector() {
  const collector = await startTraceCollector()
  cleanups.push(collector.close)
  return collector
}

const silent = createLog({ level: 'silent' })

function only(spans: ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name)
  const [span] = found
  if (span === undefined || found.length > 1) throw new Error(`not one ${name} among ${spans.map((one) => one.name)}`)
  return span
}
const partsOf = ({ spanId }: ReceivedSpan, spans: ReceivedSpan[]) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId)

test('a request is a trace of its own, with its statements and nothing personal', async () => {
  const collector = await startCollector()
  const stop = await startTracing({ endpoint: collector.url, ratio: 1 }, silent)
  const shop = await startTestShop()
  cleanups.push(shop.close)
  const id = await createProduct(shop.deps.db)
  const traceparent = `00-${'a1'.repeat(16)}-00f067aa0ba902b7-01`
  const headers = { traceparent, 'x-request-id': 'the-request' }
  await shop.call('GET', `/api/v1/products/${id}?search=secret-query`, { headers })
  await shop.call('GET', '/secret-path?token=secret-query')
  await shop.call('GET', '/health/ready')
  const login = { email: 'secret@example.test', password: 'secret password' }
  await shop.call('POST', '/api/v1/auth/login', { body: login, headers: { authorization: 'Bearer secret-token' } })
  await sendOrder(shop, [{ productId: id, quantity: 1 }])
  await stop()

  const { spans } = collector
  const request = only(spans, 'GET /api/v1/products/:id')
  expect(request.parentSpanId).toBeFalsy()
  expect(request.traceId).not.toBe('a1'.repeat(16))
  expect(request.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/v1/products/:id',
    'http.response.status_code': 200,
    'shop.request_id': 'the-request',
  })
  const read = partsOf(request, spans).find(({ attributes }) =>
    /from "products".*\$1/.test(String(attributes['db.query.text'])),
  )
  expect(read).toMatchObject({ name: 'SQL select', traceId: request.traceId })
  expect(only(spans, 'GET unknown').attributes['http.response.status_code']).toBe(401)
  // After its body was read.
  const placed = partsOf(only(spans, 'POST /api/v1/orders'), spans).map(({ attributes }) => attributes['db.query.text'])
  expect(placed.filter((text) => /insert into "orders" /.test(String(text)))).toHaveLength(1)
  expect(spans.filter(({ name }) => name.includes('health'))).toEqual([])
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId)
  expect(roots.filter(({ name }) => name.startsWith('SQL'))).toEqual([])

  const sent = collector.bodies.join()
  expect(sent).toContain('"shop-backend"')
  const { customer_name: name, customer_phone: phone } = await shop.deps.db
    .selectFrom('orders')
    .select(['customer_name', 'customer_phone'])
    .executeTakeFirstOrThrow()
  for (const personal of ['secret', String(name), String(phone)]) expect(sent).not.toContain(personal)
})

test('a sync is a trace with its statements and the calls of the supplier', async () => {
  const collector = await startCollector()
  vi.stubEnv('OTEL_SERVICE_NAME', 'shop-of-the-test')
  const stop = await startTracing({ endpoint: collector.url, ratio: 1 }, silent)
  const world = await startSupplierShop({}, generateCatalogue({ products: 20, seed: 1 }))
  cleanups.push(world.close)
  expect((await world.sync()).status).toBe('SUCCEEDED')
  await stop()
  const { spans } = collector
  const job = only(spans, 'job supplier-sync')
  const call = only(spans, 'supplier ListBrands')
  expect(call.parentSpanId).toBe(job.spanId)
  expect(call.attributes).toEqual({
    'http.request.method': 'GET',
    'server.address': new URL(world.supplier.url).host,
    'url.path': '/api/ListBrands',
    'http.response.status_code': 200,
  })
  const texts = partsOf(job, spans).map(({ attributes }) => attributes['db.query.text'])
  expect(texts).toContain('commit')
  const sent = collector.bodies.join()
  expect(sent).toContain('shop-of-the-test')
  for (const secret of ['supplier-token', 'dateFrom', 'limit=']) expect(sent).not.toContain(secret)
})

test('samples the share that is configured', async () => {
  const collector = await startCollector()
  const stop = await startTracing({ endpoint: collector.url, ratio: 0 }, silent)
  const shop = await startTestShop()
  cleanups.push(shop.close)
  await shop.call('GET', '/api/v1/products', { headers: { traceparent: `00-${'a1'.repeat(16)}-00f067aa0ba902b7-01` } })
  await stop()
  expect(collector.spans).toEqual([])
})

test('a collector that fails costs no request, and one warning until it answers again', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '500')
  const collector = await startCollector()
  const lines: string[] = []
  const log = createLog({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const stop = await startTracing({ endpoint: collector.url, ratio: 1 }, log)
  const shop = await startTestShop()
  cleanups.push(shop.close)
  const get = async () => (await shop.call('GET', '/api/v1/products')).status
  /** Sends requests until one batch more has been answered or given up. */
  const nextBatch = async () => {
    const before = collector.state.received
    await vi.waitUntil(
      async () => {
        expect(await get()).toBe(200)
        return collector.state.received > before
      },
      { timeout: 30_000, interval: 500 },
    )
  }
  collector.state.status = 400
  await nextBatch()
  await nextBatch()
  expect(lines).toEqual(['traces not exported'])
  collector.state.status = 200
  await nextBatch()
  await expect.poll(() => lines).toEqual(['traces not exported', 'traces exported again'])
  collector.state.silent = true
  await nextBatch()
  await expect.poll(() => lines, { timeout: 10_000 }).toHaveLength(3)
  await get()
  const begun = performance.now()
  await stop()
  expect(performance.now() - begun).toBeLessThan(3000)
})

/** Prints the address of each module of OpenTelemetry that is resolved. */
const REPORT_MODULES = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({ resolve(specifier, context, next) {
  const found = next(specifier, context)
  if (found.url.includes('/@opentelemetry/')) process.stderr.write('resolved ' + found.url + '\\n')
  return found
} })`)}`

test('the packages are loaded only where a collector is configured; SIGTERM exports what is left', async () => {
  const collector = await startCollector()
  const database = await createTestDatabase()
  cleanups.push(database.drop)
  const command = [process.execPath, '--import', REPORT_MODULES, 'src/server.ts']
  async function serve(environment: Record<string, string>) {
    const shop = await startServing(database.url, { command, environment })
    cleanups.push(shop.remove)
    // Not a list: its index may be loading already.
    await fetch(`${shop.url}/api/v1/products/1`)
    shop.child.kill('SIGTERM')
    expect(await shop.ended).toBe(0)
    return [...shop.output().matchAll(/^resolved \S+\/@opentelemetry\/([^/]+)\//gm)].map(([, name]) => name)
  }
  // The metrics client loads the API, which has no dependencies.
  expect(new Set(await serve({}))).toEqual(new Set(['api']))
  // On a busy machine a stop may not wait long enough for the export.
  const isRequest = ({ name }: { name: string }) => name === 'GET /api/v1/products/:id'
  while (!collector.spans.some(isRequest)) {
    expect(await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).toContain('sdk-trace')
  }
  const [request] = collector.spans.filter(isRequest)
  expect(request && partsOf(request, collector.spans)).not.toEqual([])
})
