import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { tryLock } from '../../../db/locks.ts'
import { rebuild, requestRebuild } from '../../../src/services/published/publishing.ts'
import {
  createBrand,
  createCategory,
  createManyProducts,
  createProduct,
  markSynchronised,
} from '../../support/factories.ts'
import { findYmlFaults } from '../../support/feed-rules.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { emptyCatalogue } from '../../support/publications.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop

const VARIABLES = { SITE_URL: 'https://shop.example', SHOP_TIME_ZONE: 'Europe/Moscow' }
beforeAll(async () => {
  shop = await startTestShop(VARIABLES, { publishes: true })
  await markSynchronised(shop.deps.db)
})
beforeEach(async () => {
  await emptyCatalogue(shop)
})
afterAll(() => shop.close())

const FEED = '/api/v1/yml-catalog.xml'
const fetchFeed = async (from: TestShop = shop): Promise<string> => (await from.call('GET', FEED)).text
const feedFiles = (): Promise<string[]> => readdir(join(shop.deps.config.dataDir, 'feed'))
/** Stops builds while they read products, with a file half written. */
const attributes = (trx: Trx) => sql`lock table product_attributes in access exclusive mode`.execute(trx)
/** Stops builds right before they publish. */
const publishing = (trx: Trx) => sql`lock table publications in share row exclusive mode`.execute(trx)

function offersOf(feed: string): number[] {
  expect(findYmlFaults(feed)).toEqual([])
  return [...feed.matchAll(/<offer id="(\d+)"/g)].map((match) => Number(match[1]))
}

test('keeps the published feed and removes files after a failed build', async () => {
  const { db } = shop.deps
  await createManyProducts(db, 200, [await createCategory(db)], [await createBrand(db)])
  await rebuild(shop.deps, 'feed')
  const good = await fetchFeed()
  const files = await feedFiles()
  await db.updateTable('products').set({ stock: 100 }).execute()
  // The last rows of the bytes can't be written: the transaction must take everything back.
  await sql`alter table publication_chunks add constraint broken check (publication_id < 0) not valid`.execute(
    db,
  )
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'FAILED', reason: expect.any(String) })
  expect(await fetchFeed()).toBe(good)
  expect(await feedFiles()).toEqual(files)
  expect(await db.selectFrom('publications').select('id').execute()).toHaveLength(1)
  await sql`alter table publication_chunks drop constraint broken`.execute(db)
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED', entries: 200 })
})

test('fails only the build whose connection is lost', async () => {
  const { db } = shop.deps
  await createProduct(db, { categoryId: await createCategory(db) })
  const { building } = await whileLocked(db, attributes, async () => {
    const building = rebuild(shop.deps, 'feed')
    await untilWaiting(db)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return { building }
  })
  expect(await building).toMatchObject({ status: 'FAILED' })
  expect(await feedFiles()).toEqual([])
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED' })
})

test('deletes temporary files of killed processes only', async () => {
  const folder = join(shop.deps.config.dataDir, 'feed')
  await mkdir(folder, { recursive: true })
  for (const name of ['old.tmp', 'new.tmp']) await writeFile(join(folder, name), 'half')
  await utimes(join(folder, 'old.tmp'), 0, 0)
  await rebuild(shop.deps, 'feed')
  expect(await feedFiles()).toEqual(['new.tmp'])
})

test('rebuilds exactly once more for requests during a build', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  const { id, builds } = await whileLocked(db, publishing, async () => {
    const first = rebuild(shop.deps, 'feed')
    await untilWaiting(db)
    const id = await createProduct(db, { categoryId })
    return {
      id,
      builds: [first, rebuild(shop.deps, 'feed'), rebuild(shop.deps, 'feed'), rebuild(shop.deps, 'feed')],
    }
  })
  const outcomes = await Promise.all(builds)
  expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(4).fill('PUBLISHED'))
  expect(new Set(outcomes).size).toBe(2)
  expect(offersOf(await fetchFeed())).toContain(id)
  expect(await db.selectFrom('publications').select('id').execute()).toHaveLength(2)
})

test('rebuilds once for many requests', async () => {
  const { db } = shop.deps
  await rebuild(shop.deps, 'feed')
  await createProduct(db, { categoryId: await createCategory(db) })
  for (let n = 0; n < 5; n++) requestRebuild(shop.deps, 'feed')
  await expect.poll(() => fetchFeed(), { interval: 200 }).toContain('<offer ')
  expect(await db.selectFrom('publications').select('id').execute()).toHaveLength(2)
})

test('serializes builds of two instances, and both serve the newest feed', async () => {
  const { db, config } = shop.deps
  const categoryId = await createCategory(db)
  await createProduct(db, { categoryId })
  const other = await startTestShop(VARIABLES, { databaseUrl: config.databaseUrl, publishes: true })
  try {
    const lock = await tryLock(config.databaseUrl, 'ymlFeed')
    let ended = 0
    const builds = [rebuild(shop.deps, 'feed'), rebuild(other.deps, 'feed')]
    for (const build of builds) void build.then(() => (ended += 1))
    await sleep(800)
    expect(ended).toBe(0)
    await lock?.release()
    const statuses = (await Promise.all(builds)).map((outcome) => outcome.status)
    expect(statuses.sort()).toEqual(['PUBLISHED', 'UNCHANGED'])

    for (let n = 0; n < 2; n++) {
      const id = await createProduct(db, { categoryId })
      await rebuild(other.deps, 'feed')
      const there = await fetchFeed(other)
      expect(offersOf(there)).toContain(id)
      // As soon as the change arrives; otherwise the cache entry lives for thirty seconds.
      await expect.poll(() => fetchFeed()).toBe(there)
    }
    await expect.poll(feedFiles).toHaveLength(4)
    expect(await db.selectFrom('publications').select('id').execute()).toHaveLength(2)
    const orphans = sql`select from publication_chunks where publication_id not in (select id from publications)`
    expect((await orphans.execute(db)).rows).toEqual([])
  } finally {
    await other.close()
  }
})

test('stops waiting for the lock of another instance, also when the clock is set back', async () => {
  const { deps } = shop
  const lock = await tryLock(deps.config.databaseUrl, 'ymlFeed')
  expect(lock).not.toBeNull()
  let elapsed = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (elapsed += 11 * 60_000))
  const date = vi.spyOn(Date, 'now').mockImplementation(() => 1e12 - elapsed)
  try {
    expect((await rebuild(deps, 'feed')).status).toBe('FAILED')
  } finally {
    now.mockRestore()
    date.mockRestore()
    await lock?.release()
  }
})

test('publishes nothing after the lock is lost', async () => {
  const { db, config } = shop.deps
  const categoryId = await createCategory(db)
  const feeds = () => db.selectFrom('publications').select('id').orderBy('id').execute()
  for (let n = 0; n < 2; n++) {
    await createProduct(db, { categoryId })
    expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED' })
  }
  const before = await feeds()
  await createProduct(db, { categoryId })
  const { build } = await whileLocked(
    db,
    // The third feed is written whole before the first one is deleted.
    (trx) =>
      trx
        .selectFrom('publications')
        .select('id')
        .where('id', '=', before[0]?.id ?? 0)
        .forUpdate()
        .execute(),
    async () => {
      const build = rebuild(shop.deps, 'feed')
      await untilWaiting(db)
      await sql`
        select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 7120002
          and database = (select oid from pg_database where datname = current_database())`.execute(db)
      // Another instance may build now.
      const take = async () => (await tryLock(config.databaseUrl, 'ymlFeed'))?.release().then(() => 'taken')
      await expect.poll(take).toBe('taken')
      return { build }
    },
  )
  expect(await build).toMatchObject({ status: 'FAILED' })
  expect(await feeds()).toEqual(before)
})

test('fetches deleted files again', async () => {
  await rebuild(shop.deps, 'feed')
  const feed = await fetchFeed()
  await rm(join(shop.deps.config.dataDir, 'feed'), { recursive: true })
  expect(await fetchFeed()).toBe(feed)
})

test('ends the current build on stop and starts no other', async () => {
  const { db, config } = shop.deps
  await createProduct(db, { categoryId: await createCategory(db) })
  const stopping = await startTestShop(VARIABLES, { databaseUrl: config.databaseUrl, publishes: true })
  const folder = join(stopping.deps.config.dataDir, 'feed')
  const { outcomes, stopped } = await whileLocked(db, attributes, async () => {
    const outcomes = [rebuild(stopping.deps, 'feed'), rebuild(stopping.deps, 'feed')]
    await untilWaiting(db)
    await expect.poll(() => readdir(folder)).toEqual([expect.stringMatching(/tmp$/)])
    return { outcomes, stopped: stopping.deps.tasks.stop() }
  })
  await stopped
  expect((await Promise.all(outcomes)).map((outcome) => outcome.status)).toEqual(['FAILED', 'FAILED'])
  expect(await readdir(folder)).toEqual([])
  expect(await db.selectFrom('publications').select('id').execute()).toEqual([])
  await stopping.close()
})

test('serves requests during a build of thousands of products, and publishes the hashed bytes', async () => {
  const { db } = shop.deps
  await createManyProducts(db, 1500, [await createCategory(db)], [await createBrand(db)])
  await sql`insert into product_attributes
    select id, 'EXTERNAL', n, 'Свойство ' || n, repeat('значение ', n) from products, generate_series(1, 5) n`.execute(
    db,
  )
  let building = true
  const build = rebuild(shop.deps, 'feed').finally(() => {
    building = false
  })
  // Milliseconds for which this thread worked until a request was answered, whatever else the machine does.
  const times: number[] = []
  while (building) {
    const before = process.threadCpuUsage()
    expect((await fetch(`${shop.url}/health/live`)).status).toBe(200)
    await sleep(5)
    times.push(process.threadCpuUsage(before).user / 1000)
  }
  expect(await build).toMatchObject({ status: 'PUBLISHED', entries: 1500 })
  // A build that held the loop would do most of its work before one of the answers.
  const total = times.reduce((sum, time) => sum + time, 0)
  expect(times.length).toBeGreaterThan(10)
  expect(Math.max(...times)).toBeLessThan(total / 4)

  const text = await fetchFeed()
  expect(offersOf(text)).toHaveLength(1500)
  const row = await db.selectFrom('publications').selectAll().executeTakeFirstOrThrow()
  expect(Buffer.byteLength(text)).toBe(row.files[0]?.size)
  const behindDate = text.slice(text.indexOf('\n', text.indexOf('<yml_catalog')) + 1)
  expect(createHash('sha256').update(behindDate).digest('hex')).toBe(row.content_hash)
})
