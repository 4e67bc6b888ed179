import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from './support/database.ts'
import { startServing } from './support/serving-process.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'shop-compiled-'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const ROOT = join(import.meta.dirname, '..')
/** Says at the end what of Node's own was loaded. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(1, process.moduleLoadList.join()))",
)}`

/** Parts of Node by the names that it gives them. */
const STRIPS_TYPES = 'internal/deps/amaro/dist/index'
const FETCH = 'internal/deps/undici/undici'

async function loadedBy(environment: Record<string, string>): Promise<string> {
  const command = [process.execPath, '--import', REPORT, 'src/server.ts']
  const shop = await startServing(database.url, { command, environment })
  try {
    const list = await fetch(`${shop.url}/api/v1/products?search=cable`)
    expect(list.status).toBe(200)
    shop.child.kill('SIGTERM')
    expect(await shop.ended).toBe(0)
    return shop.output()
  } finally {
    await shop.remove()
  }
}

test('after an installation a start finds all of it compiled', { timeout: 60_000 }, async () => {
  const environment = { NODE_COMPILE_CACHE: folder }
  const env = { PATH: process.env.PATH, ...environment }
  await promisify(execFile)(process.execPath, ['src/compile-ahead.ts'], { cwd: ROOT, env, timeout: 30_000 })
  const loaded = await loadedBy(environment)
  expect(loaded).toContain('NativeModule http')
  expect(loaded).not.toContain(STRIPS_TYPES)
})

test('what a process compiled is kept even if it is killed', { timeout: 60_000 }, async () => {
  const environment = { NODE_COMPILE_CACHE: join(folder, 'of-one-that-is-killed') }
  const shop = await startServing(database.url, { environment })
  try {
    const kept = () => readdir(environment.NODE_COMPILE_CACHE, { recursive: true })
    await vi.waitFor(async () => expect((await kept()).length).toBeGreaterThan(1), { timeout: 30_000 })
    // It answers again when all is written.
    expect((await fetch(`${shop.url}/health/ready`)).status).toBe(200)
    shop.child.kill('SIGKILL')
    expect(await shop.ended).toBe('SIGKILL')
  } finally {
    await shop.remove()
  }
  expect(await loadedBy(environment)).not.toContain(STRIPS_TYPES)
})

test("a process does not load Node's fetch, which it never asks for", { timeout: 60_000 }, async () => {
  const loaded = await loadedBy({ NODE_DISABLE_COMPILE_CACHE: '1' })
  expect(loaded).toContain(STRIPS_TYPES)
  expect(loaded).not.toContain(FETCH)
})
