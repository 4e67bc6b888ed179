import type { Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts'
import { readsBeside } from './beside.ts'
import { fillFlatTables } from './flat-table.ts'
import { answerSizes, coldCases, type HttpCase, piece, warmCases } from './http-cases.ts'
import { imageCases } from './image-cases.ts'
import { prepareLimit } from './limits.ts'
import { type Load, load, summary } from './load.ts'
import { logins } from './logins.ts'
import { orderCase } from './order-case.ts'
import { type Running, residentMb, startProcess } from './processes.ts'
import { searchQuality } from './search-quality.ts'
import { ADMIN, login, openBenchDatabase, startShopProcess } from './shop-process.ts'
import { copySameRows, readWholeSupplier, resetSync, runSync } from './sync-bench.ts'
import { median, printTable, share } from './table.ts'

/**
 * Measures what must be fast, each beside its physical limit in the same run: machines differ, ratios less so. The
 * catalogue is generated (BENCH_PRODUCTS, 10 000) or read from a folder (DEMO_CATALOGUE).
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2)
/** A shop runs for days: until then its code is not optimised. */
const WARM_UP_SECONDS = 4
const CONNECTIONS = [1, 32] as const
/** Per kind of mistake. */
const SEARCHES = 100
const SUPPLIER_TOKEN = 'bench'
const STARTS = 5
/** Absolute budgets, independent of a limit. */
const BUDGETS = { fullLoadMs: 3000, startMs: 1500, memoryMb: 380, logins: 0.8 }

const postgres = await startTemporaryPostgres()
const running: Running[] = []
try {
  await migrate(postgres.url)
  const supplier = await keep(
    startProcess(
      'exec node demo/server.ts',
      {
        SUPPLIER_TOKEN,
        DEMO_CHANGES_PER_MINUTE: '0',
        DEMO_PRODUCTS: process.env.BENCH_PRODUCTS ?? '10000',
        DEMO_CATALOGUE: process.env.DEMO_CATALOGUE ?? '',
      },
      '/robots.txt',
    ),
  )
  const environment = {
    DATA_DIR: postgres.folder,
    SUPPLIER_BASE_URL: `${supplier.url}/api`,
    SUPPLIER_TOKEN,
    SUPPLIER_REQUEST_DELAY_MS: '0',
  }
  const shop = await keep(startShopProcess(postgres.url, environment))
  const limits = await keep(startProcess('exec node bench/limit-server.ts', { DATABASE_URL: postgres.url }, '/health'))
  const token = await login(shop.url)
  await benchSync(shop.url, supplier.url, token)
  await benchHttp(shop, limits.url, token)
  await benchStarts(environment)
} finally {
  for (const part of running.reverse()) await part.stop()
  await postgres.stop()
}

async function keep(starting: Promise<Running>): Promise<Running> {
  const part = await starting
  running.push(part)
  return part
}

async function benchSync(shopUrl: string, supplierUrl: string, token: string): Promise<void> {
  const full = await runSync(shopUrl, token)
  const copyMs = await copySameRows(postgres.url)
  const supplierMs = await readWholeSupplier(`${supplierUrl}/api`, SUPPLIER_TOKEN)
  await resetSync(shopUrl, token)
  const again = await runSync(shopUrl, token)
  await fetch(`${supplierUrl}/demo/changes?count=500`, { method: 'POST' })
  const changed = await runSync(shopUrl, token)

  const row = (sync: string, products: number, ms: number) => ({
    sync,
    ms: Math.round(ms),
    'products/s': Math.round((products / ms) * 1000),
  })
  const ofBoth = share(copyMs + supplierMs, full.ms)
  const ofSupplier = share(supplierMs, again.ms)
  printTable(`Sync of ${full.products} products`, [
    {
      ...row('full load', full.products, full.ms),
      'of COPY + supplier': ofBoth,
      ...budget(full.ms, BUDGETS.fullLoadMs),
    },
    { ...row('full run, nothing changed', again.products, again.ms), 'of supplier': ofSupplier },
    row('500 changes', changed.products, changed.ms),
    row('limit: COPY of the same rows', full.products, copyMs),
    row('limit: the supplier alone', full.products, supplierMs),
  ])
}

async function benchHttp(shop: Running, limitUrl: string, token: string): Promise<void> {
  const { url: shopUrl } = shop
  const { db, close } = openBenchDatabase(postgres.url)
  const orderable = await stockUp(db)
  const orders = await orderCase(postgres.url, orderable)
  await fillFlatTables(db, shopUrl, token)
  const cold = await coldCases(db, token)
  const names = await db.selectFrom('products').select('name').where('active', '=', true).execute()
  await close()
  const warm = [...(await warmCases(shopUrl, orderable[0] ?? 1)), ...(await imageCases(shopUrl, token))]

  const rows: Parameters<typeof printTable>[1] = []
  const memory: number[] = []
  for (const [title, cases] of Object.entries({ CACHED: warm, UNCACHED: cold, ORDERS: [orders] })) {
    rows.push(title)
    for (const one of cases) {
      rows.push(await measured(one, shopUrl, limitUrl))
      memory.push(await residentMb(shop.pid))
    }
  }
  const connections = CONNECTIONS.join(' and ')
  printTable(`Requests over ${connections} connections (×${connections.replace(' and ', ', ×')})`, rows)
  printTable('Bytes of cached answers', await answerSizes(shopUrl, orderable[0] ?? 1))
  printTable(
    'Cached reads over 32 connections, beside other requests',
    await readsBeside(shopUrl, orderable, ADMIN, 2 * SECONDS),
  )
  printTable('Logins over 32 connections', [await logins(shopUrl, ADMIN, 4 * SECONDS, BUDGETS.logins)])
  memory.push(await residentMb(shop.pid))
  const highest = Math.max(...memory)
  printTable('Memory of the process under load', [
    { 'highest MB': highest, 'last MB': memory.at(-1) ?? 0, ...budget(highest, BUDGETS.memoryMb) },
  ])
  const seen = names.map(({ name }) => name)
  const quality = await searchQuality(shopUrl, seen, SEARCHES)
  printTable(
    'Searches for two words, one of them misspelt',
    Object.entries(quality).map(([mistake, figures]) => ({ mistake, ...figures })),
  )
}

async function benchStarts(environment: Record<string, string>): Promise<void> {
  const times: number[] = []
  for (let n = 0; n < STARTS; n++) {
    const shop = await startShopProcess(postgres.url, environment)
    times.push(shop.startMs)
    await shop.stop()
  }
  const ms = median(times)
  printTable('Start with an external database, until /health/ready', [
    { 'median ms': ms, 'slowest ms': Math.max(...times), ...budget(ms, BUDGETS.startMs) },
  ])
}

function budget(value: number, max: number): { budget: string; met: string } {
  return { budget: `≤ ${max}`, met: value <= max ? 'yes' : 'no' }
}

/** One row: shop and limit take turns of a second, so that other load on the machine affects both. */
async function measured(one: HttpCase, shopUrl: string, limitServer: string): Promise<Record<string, string | number>> {
  console.error(`measuring: ${one.name}`)
  const path = await prepareLimit(one, shopUrl, limitServer)
  const isPlain = one.limit.kind === 'plain answer'
  const limitUrl = isPlain ? shopUrl : limitServer
  const toLimit = one.requests.map((request) => ({ ...request, path, ...(isPlain && { headers: {} }) }))
  const warmUp = { connections: 8, seconds: WARM_UP_SECONDS }
  await load(shopUrl, piece(one.requests, 0), warmUp)
  await load(limitUrl, toLimit, warmUp)

  const row: Record<string, string | number> = { request: one.name }
  const ratios: number[] = []
  let errors = 0
  for (const [index, connections] of CONNECTIONS.entries()) {
    const loads: { shop: Load[]; limit: Load[] } = { shop: [], limit: [] }
    for (let turn = 0; turn < SECONDS; turn++) {
      const how = { connections, seconds: 1, from: turn / SECONDS }
      loads.shop.push(await load(shopUrl, piece(one.requests, index + 1), how))
      loads.limit.push(await load(limitUrl, toLimit, how))
    }
    const [shop, limit] = [summary(loads.shop), summary(loads.limit)]
    if (shop.perSecond === 0 || limit.perSecond === 0) throw new Error(`${one.name}: no answers`)
    row[`/s ×${connections}`] = shop.perSecond
    row[`p99 ms ×${connections}`] = shop.p99Ms
    row[`limit/s ×${connections}`] = limit.perSecond
    row[`of limit ×${connections}`] = share(shop.perSecond, limit.perSecond)
    ratios.push(shop.perSecond / limit.perSecond)
    errors += shop.errors + limit.errors
  }
  const least = one.budget
  const reached = least === null ? [] : ratios.filter((ratio) => ratio >= least)
  return {
    ...row,
    budget: least === null ? '' : `${Math.round(least * 100)} %`,
    met: least === null ? '' : reached.length === ratios.length ? 'yes' : reached.length > 0 ? 'half' : 'no',
    limit: one.limit.kind,
    errors,
  }
}

/** Fills the stock of the first products. @returns the ids of those that can be ordered */
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
