import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import type { Db } from '../db/database.ts'
import { startEmbeddedPostgres } from '../db/embedded/server.ts'
import { migrate } from '../db/migrate.ts'
import { overhear } from '../test/support/statements.ts'
import { readsBesideOrders } from './beside-orders.ts'
import { type HttpCase, httpCases } from './http-cases.ts'
import { imageCases } from './image-cases.ts'
import { orderCase } from './order-case.ts'
import { type Running, startProcess } from './processes.ts'
import { searchQuality } from './search-quality.ts'
import { copySameRows, readWholeSupplier, resetSync, runSync } from './sync-bench.ts'

/**
 * Measures what must be fast, each beside its limit in the same run: machines differ, ratios less so. The catalogue
 * is generated (BENCH_PRODUCTS, 10 000) or read from a folder (DEMO_CATALOGUE).
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
/** Of each kind of mistake. */
const SEARCHES = 200
const SUPPLIER_TOKEN = 'bench'
const admin = { email: 'bench@shop.local', password: 'bench-password' }

const folder = await mkdtemp(join(tmpdir(), 'shop-bench-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder })
const running: Running[] = []
try {
  await migrate(postgres.url)
  await liftOrderLimits()
  const supplier = await start('demo/server.ts', '/robots.txt', {
    SUPPLIER_TOKEN,
    DEMO_CHANGES_PER_MINUTE: '0',
    DEMO_PRODUCTS: process.env.BENCH_PRODUCTS ?? '10000',
    DEMO_CATALOGUE: process.env.DEMO_CATALOGUE ?? '',
  })
  const shop = await start('src/server.ts', '/health/ready', {
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    SUPPLIER_BASE_URL: `${supplier.url}/api`,
    SUPPLIER_TOKEN,
    SUPPLIER_REQUEST_DELAY_MS: '0',
    JOBS_ENABLED: 'false',
    RATE_LIMIT_ORDERS: '0',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  })
  const limits = await start('bench/limit-server.ts', '/health', { DATABASE_URL: postgres.url })
  const token = await login(shop.url)
  await benchSync(shop.url, supplier.url, token)
  await benchHttp(shop.url, limits.url, token)
} finally {
  for (const part of running.reverse()) await part.stop()
  await postgres.stop({ remove: true })
  await rm(folder, { recursive: true, force: true })
}

async function start(script: string, health: string, environment: Record<string, string>): Promise<Running> {
  const part = await startProcess(script, environment, health)
  running.push(part)
  return part
}

/** All orders come from one customer. */
async function liftOrderLimits(): Promise<void> {
  const { db, close } = overhear(postgres.url)
  const keys = ['order_limit_per_ip', 'order_limit_per_phone']
  await db.updateTable('app_config').set({ value: '0' }).where('key', 'in', keys).execute()
  await close()
}

async function login(shopUrl: string): Promise<string> {
  const response = await fetch(`${shopUrl}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  const { token }: { token: string } = JSON.parse(await response.text())
  return token
}

async function benchSync(shopUrl: string, supplierUrl: string, token: string): Promise<void> {
  const full = await runSync(shopUrl, token)
  const copyMs = await copySameRows(postgres.url)
  const supplierMs = await readWholeSupplier(`${supplierUrl}/api`, SUPPLIER_TOKEN)
  await resetSync(shopUrl, token)
  const again = await runSync(shopUrl, token)
  await fetch(`${supplierUrl}/demo/changes?count=500`, { method: 'POST' })
  const changed = await runSync(shopUrl, token)

  const perSecond = (products: number, ms: number) => Math.round((products / ms) * 1000)
  console.log(`\nSync of ${full.products} products`)
  console.table({
    'full load': {
      ms: full.ms,
      'products/s': perSecond(full.products, full.ms),
      'of COPY + supplier': share(copyMs + supplierMs, full.ms),
    },
    'full run, nothing changed': {
      ms: again.ms,
      'products/s': perSecond(again.products, again.ms),
      'of supplier': share(supplierMs, again.ms),
    },
    '500 changes': { ms: changed.ms, 'products/s': perSecond(changed.products, changed.ms) },
    'limit: COPY of the same rows': {
      ms: Math.round(copyMs),
      'products/s': perSecond(full.products, copyMs),
    },
    'limit: the supplier alone': {
      ms: Math.round(supplierMs),
      'products/s': perSecond(full.products, supplierMs),
    },
  })
}

async function benchHttp(shopUrl: string, limitUrl: string, token: string): Promise<void> {
  const database = overhear(postgres.url)
  const cases = await httpCases(database)
  const orderable = await stockUp(database.db)
  const orders = await orderCase(postgres.url, orderable)
  const names = await database.db.selectFrom('products').select('name').where('active', '=', true).execute()
  await database.close()
  const table: Record<string, Record<string, number | string>> = {}
  const images = await imageCases(shopUrl, token)
  for (const one of [...cases, feedCase(), ...images, orders]) {
    const limitPath = await prepareLimit(one, shopUrl, limitUrl)
    const shop = await load(shopUrl, one.requests)
    const limit = await load(
      limitUrl,
      one.requests.map((request) => ({ ...request, path: limitPath })),
    )
    table[one.name] = {
      'requests/s': Math.round(shop.requests.average),
      'p50 ms': shop.latency.p50,
      'p99 ms': shop.latency.p99,
      limit: Math.round(limit.requests.average),
      'of limit': share(shop.requests.average, limit.requests.average),
      'limit is': limitInWords(one),
      errors: shop.errors + shop.non2xx,
    }
  }
  console.log(`\nRequests, ${SECONDS} s each over 20 connections`)
  console.table(table)
  console.log('\nSearches of two words, one of them written wrong')
  const seen = names.map(({ name }) => name)
  console.table(await searchQuality(shopUrl, seen, SEARCHES))
  console.log('\nCached reads beside orders')
  console.table(await readsBesideOrders(shopUrl, orderable, SECONDS))
}

/** Makes sure that there is enough to order. @returns products that can be ordered */
async function stockUp(db: Db): Promise<number[]> {
  const rows = await db
    .updateTable('products')
    .set({ stock: 1_000_000 })
    .where('active', '=', true)
    .where('final_price', '>', '0')
    .where('id', '<=', 3000)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

function feedCase(): HttpCase {
  return { name: 'feed, gzip', requests: [{ method: 'GET', path: '/api/v1/yml-catalog.xml' }] }
}

/** Fills the limit server with what the case needs. @returns the path to ask it for */
async function prepareLimit(one: HttpCase, shopUrl: string, limitUrl: string): Promise<string> {
  const name = encodeURIComponent(one.name)
  if (one.statements) {
    await put(`${limitUrl}/sql/${name}`, 'application/json', JSON.stringify(one.statements))
    return `/sql/${name}`
  }
  const [request] = one.requests
  const bytes = await rawBytes(shopUrl + (request?.path ?? ''), request?.headers)
  const path = `/${one.file ? 'file' : 'memory'}/${name}`
  await put(limitUrl + path, 'application/octet-stream', bytes)
  return path
}

function limitInWords({ statements, file }: HttpCase): string {
  if (statements) return 'the same SQL through pg'
  return file ? 'the same bytes from a file' : 'the same bytes from memory'
}

async function put(url: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
}

/** The bytes on the wire; fetch would unpack them. */
function rawBytes(url: string, headers = {}): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip', ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve(Uint8Array.from(Buffer.concat(chunks))))
    }).on('error', reject)
  })
}

/** Each connection begins elsewhere in the list, so that they don't ask for the same thing at the same time. */
function load(url: string, requests: HttpCase['requests']): Promise<autocannon.Result> {
  const connections = 20
  const sent = requests.map(({ method, path, body, headers }) => ({
    method,
    path,
    headers: {
      'accept-encoding': 'gzip',
      ...headers,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }))
  let client = 0
  return autocannon({
    url,
    connections,
    duration: SECONDS,
    setupClient: (connection) => {
      const first = Math.floor((client++ / connections) * sent.length)
      connection.setRequests([...sent.slice(first), ...sent.slice(0, first)])
    },
  })
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`
}
