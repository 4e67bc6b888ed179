import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { XMLValidator } from 'fast-xml-parser'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import {
  findNewestPublication,
  insertPublication,
  lockPublications,
} from '../../../db/queries/published/publications.ts'
import { rebuild } from '../../../src/services/published/publishing.ts'
import {
  createBrand,
  createCategory,
  createManyProducts,
  createProduct,
  markSynchronised,
} from '../../support/factories.ts'
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
/** Stops builds while they read products. */
const attributes = (trx: Trx) => sql`lock table product_attributes in access exclusive mode`.execute(trx)
/** Stops builds right before they publish. */
const publishing = (trx: Trx) => sql`lock table publications in share row exclusive mode`.execute(trx)

function offersOf(feed: string): number[] {
  expect(XMLValidator.validate(feed)).toBe(true)
  return [...feed.matchAll(/<offer id="(\d+)"/g)].map((match) => Number(match[1]))
}

test('keeps the published feed after a failed build', async () => {
  const { db } = shop.deps
  await createManyProducts(db, 200, [await createCategory(db)], [await createBrand(db)])
  await rebuild(shop.deps, 'feed')
  const good = await fetchFeed()
  await db.updateTable('products').set({ stock: 100 }).execute()
  // The last rows of the bytes can't be written: the transaction must take everything back.
  await sql`alter table publication_chunks add constraint broken check (publication_id < 0) not valid`.execute(db)
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'FAILED', reason: expect.any(String) })
  expect(await fetchFeed()).toBe(good)
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
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED' })
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

test.each(['feed', 'sitemap'] as const)(
  'a %s that another instance published meanwhile is not replaced by older data, but by a new build',
  async (kind) => {
    const { db } = shop.deps
    const categoryId = await createCategory(db)
    await createProduct(db, { categoryId })
    const { building, older, id } = await db.transaction().execute(async (trx) => {
      await lockPublications(trx)
      const building = rebuild(shop.deps, kind)
      await untilWaiting(db)
      const id = await createProduct(db, { categoryId })
      const files = JSON.stringify([{ name: 'newer.xml', size: 1, gzipSize: 1 }])
      const values = { kind, built_at: new Date(), content_hash: 'newer', entries: 2, files }
      return { building, older: await insertPublication(trx, values), id }
    })
    expect(await building).toMatchObject({ status: 'PUBLISHED', reason: null })
    const newest = await findNewestPublication(db, kind)
    expect(newest?.id).toBeGreaterThan(older)
    if (kind === 'feed') expect(offersOf(await fetchFeed())).toContain(id)
  },
)

test('builds of two instances don’t overwrite each other, and both serve the newest feed', async () => {
  const { db, config } = shop.deps
  const categoryId = await createCategory(db)
  await createProduct(db, { categoryId })
  const other = await startTestShop(VARIABLES, { databaseUrl: config.databaseUrl, publishes: true })
  try {
    const { builds } = await whileLocked(db, publishing, async () => {
      const builds = [rebuild(shop.deps, 'feed'), rebuild(other.deps, 'feed')]
      await untilWaiting(db, 2)
      return { builds }
    })
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
    expect(await db.selectFrom('publications').select('id').execute()).toHaveLength(2)
    const orphans = sql`select from publication_chunks where publication_id not in (select id from publications)`
    expect((await orphans.execute(db)).rows).toEqual([])
  } finally {
    await other.close()
  }
})

test('ends the current build on stop and starts no other', async () => {
  const { db, config } = shop.deps
  await createProduct(db, { categoryId: await createCategory(db) })
  const stopping = await startTestShop(VARIABLES, { databaseUrl: config.databaseUrl, publishes: true })
  const { outcomes, stopped } = await whileLocked(db, attributes, async () => {
    const outcomes = [rebuild(stopping.deps, 'feed'), rebuild(stopping.deps, 'feed')]
    await untilWaiting(db)
    return { outcomes, stopped: stopping.deps.tasks.stop() }
  })
  await stopped
  expect((await Promise.all(outcomes)).map((outcome) => outcome.status)).toEqual(['FAILED', 'FAILED'])
  expect(await db.selectFrom('publications').select('id').execute()).toEqual([])
  await stopping.close()
})

test('serves requests during a build of thousands of products, and publishes the hashed bytes', async () => {
  const { db } = shop.deps
  await createManyProducts(db, 4000, [await createCategory(db)], [await createBrand(db)])
  await sql`insert into product_attributes (product_id, source, position, name, value)
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
  expect(await build).toMatchObject({ status: 'PUBLISHED', entries: 4000 })
  // A build that held the loop would do most of its work before one of the answers.
  const total = times.reduce((sum, time) => sum + time, 0)
  expect(times.length).toBeGreaterThan(10)
  expect(Math.max(...times)).toBeLessThan(total / 3)

  const text = await fetchFeed()
  expect(offersOf(text)).toHaveLength(4000)
  const row = await db.selectFrom('publications').selectAll().executeTakeFirstOrThrow()
  expect(Buffer.byteLength(text)).toBe(row.files[0]?.size)
  const behindDate = text.slice(text.indexOf('\n', text.indexOf('<yml_catalog')) + 1)
  expect(createHash('sha256').update(behindDate).digest('hex')).toBe(row.content_hash)
})
