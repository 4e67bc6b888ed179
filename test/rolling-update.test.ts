import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import { type Balancer, startBalancer } from './support/balancer.ts'
import { createTestDatabase } from './support/database.ts'
import { createProduct } from './support/factories.ts'
import { PROCESS_TIMEOUT_MS, type ServingProcess, startServing } from './support/serving-process.ts'

const ROOT = join(import.meta.dirname, '..')
const ADMIN = { email: 'admin@shop.example', password: 'a long enough password' }
const CLIENTS = 2
const PAUSE_MS = 50
/** Far less than a cached answer lives. */
const NOTIFICATION_MS = 5000
/** What the next version adds a column to, while requests read and write it; the pause holds the locks for a while. */
const ALTERED = ['products', 'orders', 'order_items', 'users', 'app_config', 'audit_log']
const MIGRATION = `import { sql } from 'kysely'
export async function up(db) {
  for (const table of ${JSON.stringify(ALTERED)})
    await sql\`alter table \${sql.ref(table)} add column added text not null default 'new'\`.execute(db)
  await sql\`select pg_sleep(0.3)\`.execute(db)
}`

let database: Awaited<ReturnType<typeof createTestDatabase>>
let sqlClient: Database
let balancer: Balancer
let nextVersion: string
const products: number[] = []
const started: ServingProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  sqlClient = openDatabase(database.url, () => {}, { max: 2 })
  const { db } = sqlClient
  for (let n = 0; n < CLIENTS; n++) products.push(await createProduct(db, { stock: 1_000_000 }))
  await db
    .updateTable('app_config')
    .set({ value: '0' })
    .where('key', 'in', ['order_limit_per_ip', 'order_limit_per_phone'])
    .execute()
  balancer = await startBalancer()
  nextVersion = await createNextVersion()
})
afterAll(async () => {
  await balancer?.close()
  await Promise.all(started.map((instance) => instance.remove()))
  await sqlClient.close()
  await database.drop()
  await rm(nextVersion, { recursive: true, force: true })
})

/** A copy of the shop with one more migration. */
async function createNextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'shop-next-version-'))
  for (const name of ['src', 'plugins', 'routes', 'db', 'jobs', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'db/migrations/2099-01-01T0000-add-columns.ts'), MIGRATION)
  return folder
}

async function start(version: string): Promise<ServingProcess> {
  const instance = await startServing(database.url, {
    command: [process.execPath, join(version, 'src/server.ts')],
    environment: {
      JWT_SECRET: 'ab'.repeat(32),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      RATE_LIMIT_ORDERS: '0',
      RATE_LIMIT_PER_SECOND: '0',
      RATE_LIMIT_COSTLY_PER_SECOND: '0',
    },
  })
  started.push(instance)
  balancer.add(instance.url)
  await balancer.until(instance.url, true)
  return instance
}

type Answer = { status: number; text: string }

function call(agent: Agent, method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  return new Promise((resolve, reject) => {
    request(balancer.url + path, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Clients that read, order and edit until they are stopped. */
function startLoad(token: string) {
  const answers = new Map<string, number>()
  const failures: string[] = []
  let isStopped = false

  async function expectAnswer(name: string, status: number, answer: Promise<Answer>): Promise<Answer> {
    const { status: given, text } = await answer.catch((error) => ({ status: 0, text: String(error) }))
    if (given === status) answers.set(name, (answers.get(name) ?? 0) + 1)
    else failures.push(`${name}: ${given} ${text}`)
    return { status: given, text }
  }

  async function client(productId: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const order = {
      customerName: 'Анна',
      customerPhone: '+79001234567',
      items: [{ productId, quantity: 1 }],
    }
    for (let round = 0; !isStopped; round++) {
      const description = `round ${round}`
      const path = `/api/v1/products/${productId}`
      /** Whether so many reads, by all instances in turn, contain the text. */
      const readsCard = async (text: string, times: number): Promise<boolean> => {
        for (let n = 0; n < times; n++) {
          const card = await expectAnswer('card', 200, call(agent, 'GET', path))
          if (!card.text.includes(text)) return false
        }
        return true
      }
      await expectAnswer('list', 200, call(agent, 'GET', '/api/v1/products?size=5'))
      await expectAnswer('order', 201, call(agent, 'POST', '/api/v1/orders', undefined, order))
      await expectAnswer('orders', 200, call(agent, 'GET', '/api/v1/admin/orders?size=2', token))
      await expectAnswer('edit', 200, call(agent, 'PATCH', path, token, { description }))
      // Another instance may answer before it reads the notification, but must then forget what it has cached.
      const deadline = performance.now() + NOTIFICATION_MS
      let isCurrent = await readsCard(description, 2)
      while (!isCurrent && performance.now() < deadline) isCurrent = await readsCard(description, 6)
      if (!isCurrent) failures.push(`stale card of ${description}`)
      // Leaves the processors to the instances that start.
      await delay(PAUSE_MS)
    }
    agent.destroy()
  }

  const clients = products.map(client)
  return {
    answers,
    failures,
    /** Resolves when each kind of request has succeeded so many times since. */
    async progress(times: number): Promise<void> {
      const before = new Map(answers)
      const done = (name: string) => (answers.get(name) ?? 0) - (before.get(name) ?? 0) >= times
      await expect.poll(() => ['order', 'edit', 'card'].every(done), { timeout: PROCESS_TIMEOUT_MS }).toBe(true)
    },
    async stop(): Promise<void> {
      isStopped = true
      await Promise.all(clients)
    },
  }
}

async function login(): Promise<string> {
  const agent = new Agent()
  const { text } = await call(agent, 'POST', '/api/v1/auth/login', undefined, ADMIN)
  return JSON.parse(text).token
}

/** Stops an instance as the container engine does. */
async function stop(instance: ServingProcess): Promise<void> {
  instance.child.kill('SIGTERM')
  expect(await instance.ended).toBe(0)
}

async function hasColumn(): Promise<boolean> {
  const { rows } = await sql`
    select from information_schema.columns where table_name = 'orders' and column_name = 'added'
  `.execute(sqlClient.db)
  return rows.length === 1
}

test('a rolling update with a migration fails no request', {
  timeout: 8 * PROCESS_TIMEOUT_MS,
}, async () => {
  const [one, other] = await Promise.all([start(ROOT), start(ROOT)])
  const load = startLoad(await login())
  await load.progress(5)

  await stop(one)
  await start(nextVersion)
  expect(await hasColumn()).toBe(true)
  // Now the old version serves, too, on the new schema.
  await load.progress(5)
  await stop(other)
  await load.progress(5)

  await load.stop()
  expect(load.failures).toEqual([])
  const { rows } = await sql<{ orders: number }>`select count(*) as orders from orders`.execute(sqlClient.db)
  expect(rows).toEqual([{ orders: load.answers.get('order') }])
})
