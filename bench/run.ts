import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../db/database.ts'
import { startEmbeddedPostgres } from '../db/embedded/server.ts'
import { migrate } from '../db/migrate.ts'
import { readsBeside } from './beside.ts'
import { fillFlatTables } from './flat-table.ts'
import { coldCases, type HttpCase, piece, warmCases } from './http-cases.ts'
import { imageCases } from './image-cases.ts'
import { AIMS, prepareLimit } from './limits.ts'
import { type Load, load, summary } from './load.ts'
import { orderCase } from './order-case.ts'
import { type Running, startProcess } from './processes.ts'
import { searchQuality } from './search-quality.ts'
import { ADMIN, login, openBenchDatabase, startShopProcess } from './shop-process.ts'
import { copySameRows, readWholeSupplier, resetSync, runSync } from './sync-bench.ts'
import { printTable, share } from './table.ts'

/**
 * Measures what must be fast, each beside its limit in the same run: machines differ, ratios less so. The catalogue
 * is generated (BENCH_PRODUCTS, 10 000) or read from a folder (DEMO_CATALOGUE).
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2)
const CONNECTIONS = [1, 32] as const
/** Of each kind of mistake. */
const SEARCHES = 100
const SUPPLIER_TOKEN = 'bench'

const folder = await mkdtemp(join(tmpdir(), 'shop-bench-'))
const postgres = await startEmbeddedPostgres({ dataDir: folder })
const running: Running[] = []
try {
  await migrate(postgres.url)
  const supplier = await keep(
    startProcess(
      'demo/server.ts',
      {
        SUPPLIER_TOKEN,
        DEMO_CHANGES_PER_MINUTE: '0',
        DEMO_PRODUCTS: process.env.BENCH_PRODUCTS ?? '10000',
        DEMO_CATALOGUE: process.env.DEMO_CATALOGUE ?? '',
      },
      '/robots.txt',
    ),
  )
  const shop = await keep(
    startShopProcess(postgres.url, {
      DATA_DIR: folder,
      SUPPLIER_BASE_URL: `${supplier.url}/api`,
      SUPPLIER_TOKEN,
      SUPPLIER_REQUEST_DELAY_MS: '0',
    }),
  )
  const limits = await keep(startProcess('bench/limit-server.ts', { DATABASE_URL: postgres.url }, '/health'))
  const token = await login(shop.url)
  await benchSync(shop.url, supplier.url, token)
  await benchHttp(shop.url, limits.url, token)
} finally {
  for (const part of running.reverse()) await part.stop()
  await postgres.stop({ remove: true })
  await rm(folder, { recursive: true, force: true })
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
    { ...row('full load', full.products, full.ms), 'of COPY + supplier': ofBoth },
    { ...row('full run, nothing changed', again.products, again.ms), 'of supplier': ofSupplier },
    row('500 changes', changed.products, changed.ms),
    row('limit: COPY of the same rows', full.products, copyMs),
    row('limit: the supplier alone', full.products, supplierMs),
  ])
}

async function benchHttp(shopUrl: string, limitUrl: string, token: string): Promise<void> {
  const { db, close } = openBenchDatabase(postgres.url)
  const orderable = await stockUp(db)
  const orders = await orderCase(postgres.url, orderable)
  await fillFlatTables(db, shopUrl, token)
  const cold = await coldCases(db, token)
  const names = await db.selectFrom('products').select('name').where('active', '=', true).execute()
  await close()
  const warm = [...warmCases(orderable[0] ?? 1), ...(await imageCases(shopUrl, token))]
  // A shop runs for days: what is compiled, and read into memory, in its first seconds is so here, too.
  for (const { requests } of warm) await load(shopUrl, requests, { connections: 8, seconds: 2 })

  const rows: Parameters<typeof printTable>[1] = []
  for (const [title, cases] of Object.entries({ WARM: warm, COLD: cold, PLACING: [orders] })) {
    rows.push(title)
    for (const one of cases) rows.push(await measured(one, shopUrl, limitUrl))
  }
  const connections = CONNECTIONS.join(' and ')
  printTable(`Requests over ${connections} connections (×${connections.replace(' and ', ', ×')})`, rows)
  printTable(
    `Reads that are held, over 32 connections, beside`,
    await readsBeside(shopUrl, orderable, ADMIN, 2 * SECONDS),
  )
  const seen = names.map(({ name }) => name)
  const quality = await searchQuality(shopUrl, seen, SEARCHES)
  printTable(
    'Searches of two words, one of them written wrong',
    Object.entries(quality).map(([mistake, figures]) => ({ mistake, ...figures })),
  )
}

/** A row of the table: the shop and its limit by turns of a second, so that what else the machine does meets both. */
async function measured(
  one: HttpCase,
  shopUrl: string,
  limitUrl: string,
): Promise<Record<string, string | number>> {
  // The table comes at the end.
  console.error(`measuring: ${one.name}`)
  const path = await prepareLimit(one, shopUrl, limitUrl)
  const toLimit = one.requests.map((request) => ({ ...request, path }))
  await load(shopUrl, piece(one.requests, 0), { connections: 8, seconds: 1 })
  await load(limitUrl, toLimit, { connections: 8, seconds: 1 })

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
  const aim = AIMS[one.limit.kind]
  return {
    ...row,
    aim: `${Math.round(aim * 100)} %`,
    met: ratios.every((ratio) => ratio >= aim) ? 'yes' : ratios.some((ratio) => ratio >= aim) ? 'half' : 'no',
    limit: one.limit.kind,
    errors,
  }
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
