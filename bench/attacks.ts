import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import sharp from 'sharp'
import { migrate } from '../db/migrate.ts'
import { createBrand, createCategory, createManyProducts } from '../test/support/factories.ts'
import { startTemporaryPostgres } from '../test/support/temporary-postgres.ts'
import type { Attack } from './attacker-worker.ts'
import { residentMb } from './processes.ts'
import { login, openBenchDatabase, startShopProcess } from './shop-process.ts'
import { printTable } from './table.ts'

/**
 * Measures what clients wait beside connections of one other address, mostly fifty, that send what costs most. Alone and beside
 * take turns in the same run: compare these, not runs. Linux only, where all of 127.0.0.0/8 is loopback.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
const GRACE_MS = 20_000
/** Part of the names of the attacks to measure; default: all. */
const ONLY = process.env.BENCH_ONLY ?? ''
const PRODUCTS = 2000
const PICTURES = 180
const WIDTHS = [160, 320, 640, 960]
/** Take turns with their requests: each stays below the limits. */
const CLIENTS = Array.from({ length: 50 }, (_, index) => `127.0.0.${index + 2}`)

type Case = { name: string; attack: Attack; client: string[] }

const postgres = await startTemporaryPostgres()
try {
  await migrate(postgres.url)
  await fill()
  const shop = await startShopProcess(postgres.url, {
    DATA_DIR: postgres.folder,
    SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
    RATE_LIMIT_PER_SECOND: '',
    RATE_LIMIT_COSTLY_PER_SECOND: '',
  })
  try {
    const token = await login(shop.url)
    const pictures = await upload(shop.url, token)
    // Built by its first reader, once per process, which takes half a second of the event loop.
    await fetch(`${shop.url}/v3/api-docs`)
    const rows: Record<string, string | number>[] = []
    for (const one of casesOf(pictures).filter(({ name }) => name.includes(ONLY)))
      rows.push(await measure(one, shop.url, shop.pid))
    printTable('A client beside 50 connections of one other address', rows)
  } finally {
    await shop.stop()
  }
} finally {
  await postgres.stop()
}

async function fill(): Promise<void> {
  const { db, close } = openBenchDatabase(postgres.url)
  await createManyProducts(db, PRODUCTS, [await createCategory(db)], [await createBrand(db)])
  await close()
}

/** @returns paths of the pictures */
async function upload(url: string, token: string): Promise<string[]> {
  const paths: string[] = []
  for (let turn = 0; turn < PICTURES; turn++) {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
    const picture = sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#888', noise } })
    const form = new FormData()
    form.append('file', new File([new Uint8Array(await picture.jpeg({ quality: 60 }).toBuffer())], 'a.jpg'))
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/v1/images`, { method: 'POST', headers, body: form })
    const image: { url: string } = JSON.parse(await response.text())
    paths.push(image.url)
  }
  return paths
}

function casesOf(pictures: string[]): Case[] {
  const lists = Array.from({ length: 50 }, (_, page) => `/api/v1/products?size=20&page=${page}`)
  const variants = pictures.flatMap((path) => WIDTHS.map((width) => `${path}&width=${width}`))
  const fetches = (paths: string[], atOnce: number, reads = true): Attack => ({
    parts: paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`),
    atOnce,
    reads,
  })
  const posts = (path: string, body: string): Attack => ({
    parts: [
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ],
    atOnce: 1,
    reads: true,
  })
  const objects = (bytes: number) => `[${'{},'.repeat(Math.floor(bytes / 3) - 2)}{}]`
  const cart = '/api/v1/cart/validate'
  return [
    { name: 'ordinary lists', attack: fetches(lists, 1), client: lists },
    { name: 'searches to correct', attack: fetches(searches('/api/v1/products?search='), 1), client: lists },
    {
      name: 'facets to correct',
      attack: fetches(searches('/api/v1/products/facets?search='), 1),
      client: lists,
    },
    { name: 'bodies of 64 KB', attack: posts(cart, objects(65_000)), client: lists },
    { name: 'bodies of 1 MB', attack: posts(cart, objects(1_000_000)), client: lists },
    { name: "bodies to staff's routes", attack: posts('/api/v1/tags', objects(65_000)), client: lists },
    {
      name: '/v3/api-docs, 250 at once',
      attack: fetches(['/v3/api-docs'], 250),
      client: lists,
    },
    { name: '/v3/api-docs, unread', attack: fetches(['/v3/api-docs'], 250, false), client: lists },
    { name: 'lists, unread', attack: fetches(lists, 250, false), client: lists },
    {
      name: 'headers of 15 KB, 250 at once over 125 connections',
      attack: {
        parts: [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`],
        atOnce: 250,
        reads: false,
        connections: 125,
      },
      client: lists,
    },
    { name: 'paths that leave a folder', attack: fetches(['/swagger-ui/%2e%2e/health/live'], 1), client: lists },
    {
      name: 'new image variants',
      attack: fetches(variants.slice(0, variants.length >> 1), 1),
      // A picture that nobody has asked for is drawn once.
      client: variants.slice(variants.length >> 1),
    },
  ]
}

/** Each of ten misspelt words, none of which is in a cache. */
function searches(path: string): string[] {
  return Array.from({ length: 500 }, (_, search) => {
    const words = Array.from({ length: 10 }, (_, at) => `prodict${(search * 10 + at).toString(36)}`)
    return path + words.join('+').slice(0, 100)
  })
}

async function measure({ name, attack, client }: Case, url: string, pid: number) {
  console.error(`measuring: ${name}`)
  await timesOf(url, client.slice(0, 20))
  const alone = await timesOf(url, client)
  const worker = new Worker(new URL('./attacker-worker.ts', import.meta.url), {
    workerData: { port: Number(new URL(url).port), attack },
  })
  let memory = 0
  const sampling = setInterval(async () => {
    memory = Math.max(memory, await residentMb(pid))
  }, 100)
  await delay(1000)
  const beside = await timesOf(url, client)
  clearInterval(sampling)
  await worker.terminate()
  await delay(1000)
  return {
    attack: name,
    'p99 ms alone': p99(alone),
    'p99 ms beside': p99(beside),
    times: `×${(p99(beside) / p99(alone)).toFixed(1)}`,
    'longest ms': Math.max(...beside),
    requests: beside.length,
    'MB of the shop': memory,
  }
}

function p99(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

/** Requests the paths one at a time for SECONDS, taking those out that are not to be repeated. */
async function timesOf(url: string, paths: string[]): Promise<number[]> {
  const agents = CLIENTS.map((localAddress) => new Agent({ keepAlive: true, maxSockets: 1, localAddress }))
  const times: number[] = []
  const until = performance.now() + SECONDS * 1000
  for (let turn = 0; performance.now() < until; turn++) {
    const path = paths[0]?.includes('width=') ? paths.shift() : paths[turn % paths.length]
    const agent = agents[turn % agents.length]
    if (path === undefined || agent === undefined) break
    const began = performance.now()
    // A request that isn't answered in time, or is refused, counts as long as the client would have waited.
    const isServed = await Promise.race([send(agent, url + path), delay(until + GRACE_MS - began, false)])
    times.push(isServed ? performance.now() - began : GRACE_MS)
  }
  for (const agent of agents) agent.destroy()
  return times
}

/** @returns whether it was answered with 200 */
function send(agent: Agent, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    }).on('error', () => resolve(false))
  })
}
