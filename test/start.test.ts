import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROCESS_TIMEOUT_MS, type ServingProcess, startServing } from './support/serving-process.ts'

const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS, interval: 200 }
let dataDir: string
let shop: ServingProcess

/** Runs what `npm start` runs, with no configuration but a port and a folder. */
async function start(environment: Record<string, string> = {}): Promise<void> {
  const none = { DATABASE_URL: undefined, SUPPLIER_BASE_URL: undefined, JOBS_ENABLED: undefined }
  shop = await startServing('', {
    environment: { ...none, DATA_DIR: dataDir, GBSTORE_SCRAPING_ENABLED: 'false', ...environment },
  })
}

async function countProducts(): Promise<number> {
  const response = await fetch(`${shop.url}/api/v1/products?size=1`)
  return Number(Object(await response.json()).totalElements ?? 0)
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'shop-start-'))
})
afterAll(async () => {
  await shop?.remove()
  // For root it's elsewhere, since the user that PostgreSQL runs as can't reach this folder.
  await rm(await realpath(join(dataDir, 'postgres')), { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
})

test('a shop without configuration imports products and publishes a feed', async () => {
  await start()
  await expect.poll(countProducts, PATIENTLY).toBeGreaterThan(1500)
  await expect.poll(async () => (await fetch(`${shop.url}/api/v1/yml-catalog.xml`)).status, PATIENTLY).toBe(200)
  expect(shop.output()).toContain('admin@shop.local')
  const password = (await readFile(join(dataDir, 'admin-password'), 'utf8')).trim()
  const login = await fetch(`${shop.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@shop.local', password }),
  })
  expect(await login.json()).toMatchObject({ token: expect.any(String), user: { role: 'SUPER_ADMIN' } })
})

test('restarts with its data after kill -9', async () => {
  const before = await countProducts()
  const killed = shop
  killed.child.kill('SIGKILL')
  await killed.ended
  await start({ JOBS_ENABLED: 'false' })
  // The sync may have added products before the kill.
  await expect.poll(countProducts, PATIENTLY).toBeGreaterThanOrEqual(before)
  expect(shop.output()).not.toContain('password')
  await killed.remove()
})

test('SIGTERM stops it and its database with exit code 0', async () => {
  shop.child.kill('SIGTERM')
  expect(await shop.ended).toBe(0)
  await expect(readFile(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toMatchObject({
    code: 'ENOENT',
  })
})
