import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { migrate } from '../db/migrate.ts'
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts'
import type { Running } from './processes.ts'
import { login, openBenchDatabase, startShopProcess } from './shop-process.ts'
import { median, printTable } from './table.ts'

/** Measures what clients of live events cost: memory while they wait, and the event loop when all are told of a change. */
const CLIENTS = Number(process.env.BENCH_CLIENTS ?? 2000)
/** As many as an address may have. */
const PER_ADDRESS = 20
const CHANGES = 20
const SETTLE_MS = 3000
const METRICS_TOKEN = 'bench-metrics-token-of-forty-characters'
/** The metric of the event loop contains the interval of its own timer. */
const LAG_TIMER_MS = 10
const BUDGETS = { memoryMb: 60, loopMs: 20 }

const postgres = await startTemporaryPostgres()
let shop: Running | undefined
try {
  await migrate(postgres.url)
  await insertProduct()
  shop = await startShopProcess(postgres.url, {
    DATA_DIR: postgres.folder,
    SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
    METRICS_TOKEN,
  })
  await bench(shop.url)
} finally {
  await shop?.stop()
  await postgres.stop()
}

async function bench(url: string): Promise<void> {
  const token = await login(url)
  const change = async (sitePrice: number) => {
    const body = JSON.stringify({ sitePrice })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1/products/1`, { method: 'PATCH', headers, body })
    if (!response.ok) throw new Error(await response.text())
    await response.arrayBuffer()
  }
  let price = 0
  const alone = await loopDuring(url, () => change(++price))
  await delay(SETTLE_MS)
  const before = await metrics(url)
  const clients = await connectAll(url)
  await delay(SETTLE_MS)
  const idle = await metrics(url)
  const times: number[] = []
  const toAll = await loopDuring(url, async () => {
    const arrived = Promise.all(clients.map((client) => once(client, 'message')))
    await change(++price)
    const began = performance.now()
    await arrived
    times.push(performance.now() - began)
  })
  for (const client of clients) client.terminate()
  const memory = idle.memoryMb - before.memoryMb
  printTable(`Live events: ${CLIENTS} subscribers`, [
    { figure: 'memory of idle subscribers, MB', value: memory, ...budget(memory, BUDGETS.memoryMb) },
    { figure: 'heap of idle subscribers, MB', value: idle.heapMb - before.heapMb },
    { figure: 'memory of one, KB', value: (memory / CLIENTS) * 1024 },
    { figure: 'event loop held by a change, nobody listening, ms', value: alone.heldMs },
    { figure: 'the same, sent to all', value: toAll.heldMs, ...budget(toAll.heldMs, BUDGETS.loopMs) },
    { figure: 'processor time of a change, nobody listening, ms', value: alone.cpuMs },
    { figure: 'the same, sent to all', value: toAll.cpuMs },
    { figure: 'until the last one has it, ms (median)', value: median(times) },
  ])
}

async function connectAll(url: string): Promise<WebSocket[]> {
  const clients: WebSocket[] = []
  for (let from = 0; from < CLIENTS; from += PER_ADDRESS) {
    const number = from / PER_ADDRESS
    const localAddress = `127.0.${1 + Math.floor(number / 200)}.${1 + (number % 200)}`
    const opened = Array.from({ length: Math.min(PER_ADDRESS, CLIENTS - from) }, async () => {
      const client = new WebSocket(`${url.replace('http', 'ws')}/ws/events`, { localAddress })
      await once(client, 'open')
      client.send(JSON.stringify({ type: 'subscribe', topics: ['products'] }))
      await once(client, 'message')
      return client
    })
    clients.push(...(await Promise.all(opened)))
  }
  return clients
}

/**
 * Repeats work and returns two medians: the longest block of the event loop, and the processor time. Compare only the
 * processor time on a busy machine.
 */
async function loopDuring(url: string, work: () => Promise<void>): Promise<{ heldMs: number; cpuMs: number }> {
  const runs: { held: number; cpu: number }[] = []
  for (let run = 0; run < CHANGES; run++) {
    const before = await metrics(url)
    await work()
    const after = await metrics(url)
    runs.push({ held: Math.max(0, after.lagMs - LAG_TIMER_MS), cpu: after.cpuMs - before.cpuMs })
  }
  return { heldMs: median(runs.map(({ held }) => held)), cpuMs: median(runs.map(({ cpu }) => cpu)) }
}

async function metrics(url: string): Promise<{ memoryMb: number; heapMb: number; lagMs: number; cpuMs: number }> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const text = await response.text()
  const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  return {
    memoryMb: value('process_resident_memory_bytes') / 1024 ** 2,
    heapMb: value('nodejs_heap_size_used_bytes') / 1024 ** 2,
    cpuMs: value('process_cpu_seconds_total') * 1000,
    lagMs: value('nodejs_eventloop_lag_max_seconds') * 1000,
  }
}

async function insertProduct(): Promise<void> {
  const { db, close } = openBenchDatabase(postgres.url)
  const values = { name: 'Product', slug: 'product', price: '100', stock: 10, external_id: null }
  await db
    .insertInto('products')
    .values({ ...values, site_price: null, supplier_active: true })
    .execute()
  await close()
}

function budget(value: number, max: number): { budget: string; met: string } {
  return { budget: `≤ ${max}`, met: value <= max ? 'yes' : 'no' }
}
