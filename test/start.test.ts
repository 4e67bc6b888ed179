import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROCESS_TIMEOUT_MS } from './support/serving-process.ts'

const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS, interval: 200 }
const PORT = await freePort()
const base = `http://127.0.0.1:${PORT}`
let dataDir: string
let shop: ChildProcess | undefined

/** Runs what `npm start` runs, with no configuration but a port and a folder. */
function start(environment: Record<string, string> = {}): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT,
      DATA_DIR: dataDir,
      GBSTORE_SCRAPING_ENABLED: 'false',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  return { child, output: () => output }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return String(typeof address === 'object' ? address?.port : address)
}

async function countProducts(): Promise<number> {
  const response = await fetch(`${base}/api/v1/products?size=1`).catch(() => null)
  const body: unknown = await response?.json()
  return Number(Reflect.get(Object(body), 'totalElements') ?? 0)
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'shop-start-'))
})
afterAll(async () => {
  shop?.kill('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
})

test.concurrent('a shop without configuration imports products and publishes a feed', async ({ expect }) => {
  const { child, output } = start()
  shop = child
  await expect.poll(countProducts, PATIENTLY).toBeGreaterThan(1500)
  await expect.poll(async () => (await fetch(`${base}/api/v1/yml-catalog.xml`)).status, PATIENTLY).toBe(200)
  expect(output()).toContain('admin@shop.local')
  const password = (await readFile(join(dataDir, 'admin-password'), 'utf8')).trim()
  const login = await fetch(`${base}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@shop.local', password }),
  })
  expect(await login.json()).toMatchObject({ token: expect.any(String), user: { role: 'SUPER_ADMIN' } })
})

test.concurrent('reports an invalid variable and starts nothing', async ({ expect }) => {
  const cases: [Record<string, string>, string][] = [
    [{ PORT: 'eighty' }, 'PORT must be a whole number'],
    [{ NODE_ENV: 'production' }, 'DATABASE_URL must be set in production'],
  ]
  await Promise.all(
    cases.map(async ([environment, message]) => {
      const { child, output } = start(environment)
      const [code] = await once(child, 'exit')
      expect([code, output()]).toEqual([1, expect.stringContaining(message)])
    }),
  )
})

test('restarts with its data after kill -9', async () => {
  const before = await countProducts()
  shop?.kill('SIGKILL')
  if (shop) await once(shop, 'exit')
  const { child, output } = start({ JOBS_ENABLED: 'false' })
  shop = child
  // The sync may have added products before the kill.
  await expect.poll(countProducts, PATIENTLY).toBeGreaterThanOrEqual(before)
  expect(output()).not.toContain('password')
})

test('SIGTERM stops it and its database with exit code 0', async () => {
  shop?.kill('SIGTERM')
  const [code] = shop ? await once(shop, 'exit') : []
  expect(code).toBe(0)
  await expect(readFile(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toMatchObject({
    code: 'ENOENT',
  })
})
