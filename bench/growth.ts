import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { createBrand, createCategory, createManyProducts } from '../test/support/factories.ts'
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts'
import { type GrowthCase, growthCases } from './growth-cases.ts'
import type { BenchRequest } from './load.ts'
import { login, openBenchDatabase, startShopProcess } from './shop-process.ts'
import { median, printTable } from './table.ts'

/**
 * Measures how requests slow down as the shop grows: over one connection, none sent twice, with 1 000, 10 000 and 50 000
 * products, and with BENCH_LARGE=1 also 500 000.
 */
const SIZES = [1000, 10_000, 50_000, ...(process.env.BENCH_LARGE === '1' ? [500_000] : [])]
/** Per kind, as many as fit into the time. */
const REQUESTS = 100
const TIMEOUT_MS = Number(process.env.BENCH_SECONDS ?? 2) * 1000
const UNMEASURED = 20
/** Tolerance when comparing growth of time and answer: medians of single requests vary. */
const TOLERANCE = 2

type Measured = { ms: number; bytes: number; found: number | null }
type Answered = { status: number; text: string; ms: number }

const postgres = await startTemporaryPostgres()
try {
  const results = new Map<number, Map<string, Measured>>()
  for (const size of SIZES) results.set(size, await measureShop(size))
  print(results)
} finally {
  await postgres.stop()
}

async function measureShop(size: number): Promise<Map<string, Measured>> {
  const url = await createDatabase(`growth_${size}`)
  const categoryIds = await fill(url, size)
  const shop = await startShopProcess(url, {
    DATA_DIR: join(postgres.folder, String(size)),
    SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const measured = new Map<string, Measured>()
  try {
    const token = await login(shop.url)
    // Facets wait until the search index has loaded.
    await send(agent, shop.url, { method: 'GET', path: '/api/v1/products/facets' })
    await delay(500)
    for (const one of growthCases(size, categoryIds, token)) {
      measured.set(one.name, await measure(agent, shop.url, one))
    }
  } finally {
    agent.destroy()
    await shop.stop()
  }
  return measured
}

async function createDatabase(name: string): Promise<string> {
  const { db, close } = openBenchDatabase(postgres.url)
  await sql`create database ${sql.ref(name)}`.execute(db)
  await close()
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  await migrate(url.href)
  return url.href
}

/** @returns the ids of the categories */
async function fill(url: string, size: number): Promise<number[]> {
  const { db, close } = openBenchDatabase(url)
  const categories: number[] = []
  for (let n = 0; n < 20; n++) categories.push(await createCategory(db))
  const brands: number[] = []
  for (let n = 0; n < 30; n++) brands.push(await createBrand(db))
  await createManyProducts(db, size, categories, brands)
  await addAttributes(db)
  // Enough stock for every order.
  await sql`update products set stock = 1000000 where id <= 1000`.execute(db)
  await sql`vacuum analyze`.execute(db)
  await close()
  return categories
}

/** Six attributes per product, with five to thirty values. */
async function addAttributes(db: Db): Promise<void> {
  await sql`
    insert into product_attributes (product_id, source, position, name, value)
    select id, 'EXTERNAL', n, 'Свойство ' || n, 'значение ' || id % (5 * n)
    from products, generate_series(1, 6) n`.execute(db)
}

async function measure(agent: Agent, shopUrl: string, one: GrowthCase): Promise<Measured> {
  const answers: Answered[] = []
  const until = performance.now() + TIMEOUT_MS
  for (let turn = 1; turn <= UNMEASURED + REQUESTS && performance.now() < until; turn++) {
    const answer = await send(agent, shopUrl, one.next(turn))
    if (answer.status >= 300) throw new Error(`${one.name}: ${answer.status} ${answer.text}`)
    answers.push(answer)
  }
  const counted = answers.slice(Math.min(UNMEASURED, answers.length >> 1))
  const found = counted.flatMap(({ text }) => {
    const { totalElements }: { totalElements?: number } = JSON.parse(text)
    return totalElements === undefined ? [] : [totalElements]
  })
  return {
    ms: median(counted.map(({ ms }) => ms)),
    bytes: median(counted.map(({ text }) => text.length)),
    found: found.length === 0 ? null : median(found),
  }
}

function send(agent: Agent, shopUrl: string, { method, path, body, headers }: BenchRequest): Promise<Answered> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const request = httpRequest(shopUrl + path, {
      method,
      agent,
      headers: { ...headers, ...(sent === undefined ? {} : { 'content-type': 'application/json' }) },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          ms: performance.now() - began,
        }),
      )
    })
    request.end(sent)
  })
}

function print(results: Map<number, Map<string, Measured>>): void {
  const smallest = SIZES[0] ?? 0
  const largest = SIZES.at(-1) ?? 0
  const faster: string[] = []
  const rows = [...(results.get(smallest) ?? [])].map(([name, first]) => {
    const last = results.get(largest)?.get(name) ?? first
    const times = (after: number, before: number) => after / Math.max(before, Number.EPSILON)
    const grew = { ms: times(last.ms, first.ms), answer: times(last.bytes, first.bytes) }
    if (grew.ms > TOLERANCE * Math.max(1, grew.answer)) faster.push(name)
    return {
      'ms, half of them': name,
      ...Object.fromEntries(
        SIZES.map((size) => [size.toLocaleString('fr').replace(/\s/g, ' '), results.get(size)?.get(name)?.ms ?? '']),
      ),
      grew: `×${grew.ms.toFixed(1)}`,
      answer: `×${grew.answer.toFixed(1)}`,
      found: last.found === null ? '' : `${first.found} → ${last.found}`,
    }
  })
  printTable(`One request at a time, none of them twice, by products in the shop`, rows)
  const named = faster.length === 0 ? 'nothing' : faster.join(', ')
  console.log(`\nGrows more than twice as fast as its answer, while the shop grows ×${largest / smallest}: ${named}`)
}
