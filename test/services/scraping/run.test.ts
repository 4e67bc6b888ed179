import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { enqueueProduct } from '../../../src/services/scraping/queue.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { newImage } from '../../support/images.ts'
import { type ScrapedShop, startScrapedShop } from '../../support/scraping.ts'

let world: ScrapedShop

beforeAll(async () => {
  world = await startScrapedShop()
})
afterAll(() => world.close())
afterEach(() => world.startOver())

test('fails at once for a private page or one disallowed by robots.txt', async () => {
  const id = await world.pictured('a.png')
  world.web.paths.set('/robots.txt', 'User-agent: *\nDisallow: /p/')
  expect(await world.scrape(id)).toMatchObject({
    status: 'FAILED',
    error_message: 'Robots.txt disallows the page',
  })
  expect(await world.shown(id)).toEqual([])
  expect(await world.scrape(id, 'http://192.168.0.1/')).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringContaining('private'),
  })
})

test('fails at once for a page that is gone, and completes one without images with a message', async () => {
  const id = await world.pictured()
  const found = world.web.paths.get(`/p/${id}`) ?? ''
  world.web.paths.set(`/p/${id}`, 410)
  const gone = { status: 'FAILED', attempts: 1, error_message: 'The server answered 410' }
  expect(await world.scrape(id)).toMatchObject(gone)
  world.web.paths.set(`/p/${id}`, found)
  expect(await world.scrape(id)).toMatchObject({
    status: 'DONE',
    error_message: 'The page shows no images of the product',
  })
  const tasks = world.shop.deps.db.selectFrom('gbstore_scrape_queue').select('status')
  // The completed task replaces the failed one; one that is to be repeated doesn't.
  expect(await tasks.where('product_id', '=', id).execute()).toEqual([{ status: 'DONE' }])
  world.web.paths.set(`/p/${id}`, 503)
  await world.scrape(id)
  const both = await tasks.where('product_id', '=', id).orderBy('id').execute()
  expect(both).toEqual([{ status: 'DONE' }, { status: 'PENDING' }])
})

test("tells what is wrong with a page's JSON-LD, whether or not there are other images", async () => {
  const fault = /^The page's JSON-LD can't be read: Unexpected token .* is not valid JSON$/
  const script = '<script type="application/ld+json">oops\u0000</script>'
  const id = await world.pictured('a.png')
  const found = world.web.paths.get(`/p/${id}`)
  world.web.paths.set(`/p/${id}`, `${script}${found}`)
  expect(await world.scrape(id)).toMatchObject({ status: 'DONE', error_message: expect.stringMatching(fault) })
  expect(await world.shown(id)).toHaveLength(1)
  world.web.paths.set(`/p/${id}`, script)
  const { error_message } = await world.scrape(id)
  expect(error_message).toMatch(/^The page shows no images of the product\. The page's JSON-LD can't be read: /)
})

test('retries temporary failures five times with growing delays', async () => {
  const id = await world.pictured('a.png')
  const { db } = world.shop.deps
  world.web.paths.set(`/p/${id}`, (_, response) => response.writeHead(503).end())
  let task = await world.scrape(id)
  expect(task).toMatchObject({ status: 'PENDING', attempts: 1, error_message: 'The server answered 503' })
  expect(task.next_attempt_at.getTime() - Date.now()).toBeGreaterThan(50_000)
  await runScraping(world.shop.deps)
  expect((await world.taskOf(task.id)).attempts).toBe(1)
  for (let attempt = 2; attempt <= 5; attempt++) {
    await db
      .updateTable('gbstore_scrape_queue')
      .set({ next_attempt_at: new Date(0) })
      .execute()
    await runScraping(world.shop.deps)
    task = await world.taskOf(task.id)
    expect([task.attempts, task.status]).toEqual([attempt, attempt < 5 ? 'PENDING' : 'FAILED'])
    // Staff who enqueue the product anew begin the attempts anew.
    if (attempt === 4) {
      await enqueueProduct(world.shop.deps, id, {})
      expect((await world.taskOf(task.id)).attempts).toBe(0)
      await db.updateTable('gbstore_scrape_queue').set({ attempts: 4 }).execute()
    }
  }
})

test('prefers the setting to the environment', async () => {
  const { db } = world.shop.deps
  const set = (value: string) =>
    db.updateTable('app_config').set({ value }).where('key', '=', 'gbstore.scraping.enabled').execute()
  const id = await world.pictured('a.png')
  await set('false')
  expect(await world.scrape(id)).toMatchObject({ status: 'PENDING', attempts: 0 })
  await set('true')
  await runScraping(world.shop.deps)
  expect(await world.shown(id)).toEqual(['/a.png'])
  await set('')
})

test('shares the work between two instances', async () => {
  const ids: number[] = []
  for (let n = 0; n < 6; n++) ids.push(await world.pictured(`x${n}.png`, `y${n}.png`))
  for (const id of ids) await enqueueProduct(world.shop.deps, id, {})
  await Promise.all([runScraping(world.shop.deps), runScraping(world.other.deps)])
  const tasks = await world.shop.deps.db.selectFrom('gbstore_scrape_queue').select(['status', 'attempts']).execute()
  expect(tasks).toEqual(Array(6).fill({ status: 'DONE', attempts: 1 }))
  const fetched = world.web.asked.filter((path) => path !== '/robots.txt')
  expect(fetched.length).toBe(18)
  expect(new Set(fetched).size).toBe(18)
})

test('loses and duplicates nothing after kill -9', async () => {
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await world.pictured(`k${n}a.png`, `k${n}b.png`))
  let last = 0
  for (const id of ids) last = (await enqueueProduct(world.shop.deps, id, {})).id
  const { config, db } = world.shop.deps
  // Some products are done, one half done, when the process is killed.
  const reached = Promise.withResolvers<void>()
  const half = world.web.paths.get('/k3b.png') ?? ''
  world.web.paths.set('/k3b.png', () => reached.resolve())
  const child = fork(new URL('../../support/scrape-process.ts', import.meta.url), {
    env: {
      ...process.env,
      TEST_DATABASE_URL: config.databaseUrl,
      TEST_SUPPLIER_URL: 'http://127.0.0.1:9',
      TEST_DATA_DIR: config.dataDir,
    },
  })
  const exit = once(child, 'exit')
  await reached.promise
  child.kill('SIGKILL')
  world.web.paths.set('/k3b.png', half)
  expect((await exit)[1]).toBe('SIGKILL')
  // The lease still holds: nobody takes it.
  await runScraping(world.shop.deps)
  expect(await world.taskOf(last)).toMatchObject({ status: 'IN_PROGRESS', attempts: 1 })
  await db
    .updateTable('gbstore_scrape_queue')
    .set({ leased_until: new Date(0) })
    .where('status', '=', 'IN_PROGRESS')
    .execute()
  await runScraping(world.shop.deps)
  const tasks = await db.selectFrom('gbstore_scrape_queue').select('status').execute()
  expect(tasks).toEqual(Array(4).fill({ status: 'DONE' }))
  for (const [n, id] of ids.entries()) expect(await world.shown(id)).toEqual([`/k${n}a.png`, `/k${n}b.png`])
  const hashes = await db.selectFrom('images').select('sha256').execute()
  expect(new Set(hashes.map(({ sha256 }) => sha256)).size).toBe(hashes.length)
})

test('fails a task after five crashes', async () => {
  const id = await world.pictured('a.png')
  const task = await enqueueProduct(world.shop.deps, id, {})
  await world.shop.deps.db
    .updateTable('gbstore_scrape_queue')
    .set({ status: 'IN_PROGRESS', attempts: 5, leased_until: new Date(0) })
    .execute()
  await runScraping(world.shop.deps)
  expect(await world.taskOf(task.id)).toMatchObject({
    status: 'FAILED',
    error_message: 'The process running the task ended',
  })
})

test('releases the tasks while the storage is unavailable', async () => {
  const folder = join(world.shop.deps.config.dataDir, 'objects')
  await mkdir(folder, { recursive: true })
  await rename(folder, `${folder}-away`)
  await writeFile(folder, 'in the way')
  try {
    const id = await world.pictured('a.png')
    const task = await enqueueProduct(world.shop.deps, id, {})
    await expect(runScraping(world.shop.deps)).rejects.toMatchObject({ status: 503 })
    expect(await world.taskOf(task.id)).toMatchObject({ status: 'PENDING', attempts: 0, error_message: null })
    expect(await world.logOf(id)).toEqual([])
  } finally {
    await rm(folder)
    await rename(`${folder}-away`, folder)
  }
})

// The last one: it stops an instance.
test('releases unfinished tasks on stop', async () => {
  const id = await world.pictured('a.png', 'silent.png', 'c.png')
  const reached = Promise.withResolvers<void>()
  world.web.paths.set('/silent.png', () => reached.resolve())
  const task = await enqueueProduct(world.shop.deps, id, {})
  const running = runScraping(world.other.deps)
  await reached.promise
  await world.other.deps.tasks.stop()
  await running
  expect(await world.taskOf(task.id)).toMatchObject({ status: 'PENDING', attempts: 0, leased_until: null })
  world.web.paths.set('/silent.png', await newImage())
  world.web.asked.length = 0
  await runScraping(world.shop.deps)
  expect(world.web.asked.filter((path) => path.endsWith('.png'))).toEqual(['/silent.png', '/c.png'])
  expect(await world.shown(id)).toEqual(['/a.png', '/silent.png', '/c.png'])
})
