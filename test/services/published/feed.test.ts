import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tryLock } from '../../../db/advisory-locks.ts'
import type { Trx } from '../../../db/database.ts'
import { YML } from '../../../src/rules/published/yml.ts'
import { rebuildFeed, requestFeedRebuild } from '../../../src/services/published/feed.ts'
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
  for (const [key, value] of Object.entries({
    delivery_price: '',
    delivery_days: '',
    feed_min_offers_percent: '50',
  })) {
    await setting(key, value)
  }
})
afterAll(() => shop.close())

const FEED = '/api/v1/yml-catalog.xml'
const fetchFeed = async (from: TestShop = shop): Promise<string> => (await from.call('GET', FEED)).text
const setting = (key: string, value: string) =>
  shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', key).executeTakeFirstOrThrow()
const feedFiles = (): Promise<string[]> => readdir(join(shop.deps.config.dataDir, 'feed'))
/** Stops builds while they read products, with a file half written. */
const attributes = (trx: Trx) => sql`lock table product_attributes in access exclusive mode`.execute(trx)
/** Stops builds right before they publish. */
const publishing = (trx: Trx) => sql`lock table publications in share row exclusive mode`.execute(trx)

function offersOf(feed: string): number[] {
  const inspection = YML.inspect()
  inspection.write(feed)
  inspection.finish()
  return [...feed.matchAll(/<offer id="(\d+)"/g)].map((match) => Number(match[1]))
}

test('offers are the active products with a price in visible categories; the others are counted by reason', async () => {
  const { db } = shop.deps
  const open = await createCategory(db)
  const hidden = await createCategory(db, { enabled: false })
  const belowHidden = await createCategory(db, { parentId: hidden })
  const autoHidden = await createCategory(db, { autoHidden: true })
  const forSale = await createProduct(db, { categoryId: open, price: '100.00', sitePrice: '90.50' })
  const dearer = await createProduct(db, { categoryId: open, price: '100.00', sitePrice: '110.00', stock: 0 })
  const revived = await createProduct(db, { categoryId: open, supplierActive: false, activeOverride: true })
  await createProduct(db, { categoryId: open, supplierActive: false, price: null })
  await createProduct(db, { categoryId: open, activeOverride: false })
  await createProduct(db, { categoryId: hidden, price: null })
  await createProduct(db, { categoryId: open, price: '0' })
  await createProduct(db, { categoryId: open, price: '5.00', sitePrice: '0' })
  await createProduct(db, { categoryId: null })
  for (const categoryId of [hidden, belowHidden, autoHidden]) await createProduct(db, { categoryId })
  await createProduct(db, { categoryId: open, name: ' \u0001 ' })

  expect(await rebuildFeed(shop.deps)).toEqual({
    status: 'PUBLISHED',
    offers: 3,
    excluded: { INACTIVE: 2, NO_PRICE: 3, NO_CATEGORY: 1, HIDDEN_CATEGORY: 3, NO_NAME: 1 },
    reason: null,
    durationMs: expect.any(Number),
  })
  const feed = await fetchFeed()
  expect(offersOf(feed)).toEqual([forSale, dearer, revived])
  expect(feed).toContain(`<offer id="${forSale}" available="true">`)
  expect(feed).toContain('<price>90.50</price><oldprice>100.00</oldprice>')
  expect(feed).toContain(`<offer id="${dearer}" available="false">`)
  expect(feed).toContain('<price>110.00</price><currencyId>')
  expect([...feed.matchAll(/<category id="(\d+)"/g)].map((match) => Number(match[1]))).toEqual([open])
})

test('excludes deactivated products and hidden categories', async () => {
  const { db } = shop.deps
  const [first, second] = [await createCategory(db), await createCategory(db)]
  const stays = await createProduct(db, { categoryId: first })
  const goes = await createProduct(db, { categoryId: first })
  const goesToo = await createProduct(db, { categoryId: second })
  await setting('feed_min_offers_percent', '0')
  await rebuildFeed(shop.deps)
  expect(offersOf(await fetchFeed())).toEqual([stays, goes, goesToo])
  await db.updateTable('products').set({ active_override: false }).where('id', '=', goes).execute()
  await db.updateTable('categories').set({ enabled: false }).where('id', '=', second).execute()
  await rebuildFeed(shop.deps)
  expect(offersOf(await fetchFeed())).toEqual([stays])
})

test('lists at most ten images in order, and prefers manual attributes', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  const id = await createProduct(db, {
    categoryId,
    brandId: await createBrand(db, 'Вектор & Co'),
    description: `<p>${'Очень мощный инструмент. '.repeat(500)}</p>`,
    attributes: [
      { name: 'Цвет', value: 'from the supplier' },
      { name: 'Вес', value: '2 кг' },
      { name: 'Цвет', value: 'by hand', source: 'MANUAL' },
    ],
  })
  await sql`insert into images (storage_key, file_name, content_type, size, width, height, sha256)
    select n::text, 'f', 'image/png', 1, 1, 1, '' from generate_series(1, 12) n`.execute(db)
  await sql`insert into product_images select ${id}::int, id, -id from images`.execute(db)
  await rebuildFeed(shop.deps)
  const text = await fetchFeed()
  expect([...text.matchAll(/images\/(\d+)<\/picture>/g)].map((match) => match[1])).toEqual(
    '12 11 10 9 8 7 6 5 4 3'.split(' '),
  )
  expect([...text.matchAll(/<param name="(.*?)">(.*?)<\/param>/g)].map((match) => match.slice(1))).toEqual([
    ['Цвет', 'by hand'],
    ['Вес', '2 кг'],
  ])
  expect(text).toContain('<vendor>Вектор &amp; Co</vendor>')
  expect(/<description>(.*)<\/description>/.exec(text)?.[1]?.length).toBeLessThanOrEqual(3000)
})

test('lists the parents of all categories despite a cycle and a missing parent', async () => {
  const { db } = shop.deps
  const a = await createCategory(db)
  const b = await createCategory(db, { parentId: a })
  const c = await createCategory(db, { parentId: b })
  await db.updateTable('categories').set({ parent_id: c }).where('id', '=', a).execute()
  await createProduct(db, { categoryId: c })
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED', offers: 1 })
  const text = await fetchFeed()
  expect(text).toContain(`<category id="${a}">`)
  expect(text).toContain(`<category id="${c}" parentId="${b}">`)
})

test('applies settings, and does not publish a feed that differs only in its date', async () => {
  const { db } = shop.deps
  await createProduct(db, { categoryId: await createCategory(db) })
  await setting('delivery_price', '300')
  await setting('delivery_days', '1-3')
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED' })
  const before = await shop.call('GET', FEED)
  expect(before.text).toContain('<delivery-options><option cost="300" days="1-3"/></delivery-options>')
  expect(before.text).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<yml_catalog date="[\dT:-]{19}\+03:00">/,
  )

  expect(await rebuildFeed(shop.deps)).toMatchObject({
    status: 'UNCHANGED',
    offers: 1,
    reason: expect.any(String),
  })
  const same = await shop.call('GET', FEED)
  expect([same.text, same.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')])

  await setting('delivery_price', '400')
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED' })
  const after = await shop.call('GET', FEED)
  expect(after.text).toContain('cost="400"')
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  // Two feeds within a second: Last-Modified has whole seconds and must differ.
  const modified = [before, after].map((answer) => Date.parse(answer.headers.get('last-modified') ?? ''))
  expect(modified[1]).toBeGreaterThan(modified[0] ?? 0)
})

test('rejects a feed that lost more than half of its offers until the setting is lowered', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  for (let n = 0; n < 10; n++) await createProduct(db, { categoryId })
  await rebuildFeed(shop.deps)
  const good = await fetchFeed()
  await sql`update products set active_override = false where id in (select id from products order by id limit 6)`.execute(
    db,
  )
  expect(await rebuildFeed(shop.deps)).toMatchObject({
    status: 'REJECTED',
    offers: 4,
    excluded: { INACTIVE: 6 },
    reason: expect.stringContaining('4 offers are fewer than 50 % of the 10'),
  })
  expect(await fetchFeed()).toBe(good)
  expect((await feedFiles()).filter((name) => name.endsWith('.tmp'))).toEqual([])
  await setting('feed_min_offers_percent', '40')
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED', offers: 4 })
  expect(offersOf(await fetchFeed())).toHaveLength(4)
})

test('publishes an empty feed if the supplier lists nothing', async () => {
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED', offers: 0, excluded: {} })
  expect(offersOf(await fetchFeed())).toEqual([])
})

test('keeps the published feed and removes files after a failed build', async () => {
  const { db } = shop.deps
  await createManyProducts(db, 200, [await createCategory(db)], [await createBrand(db)])
  await rebuildFeed(shop.deps)
  const good = await fetchFeed()
  const files = await feedFiles()
  await db.updateTable('products').set({ stock: 100 }).execute()
  // The last rows of the bytes can't be written: the transaction must take everything back.
  await sql`alter table publication_chunks add constraint broken check (publication_id < 0) not valid`.execute(
    db,
  )
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'FAILED', reason: expect.any(String) })
  expect(await fetchFeed()).toBe(good)
  expect(await feedFiles()).toEqual(files)
  expect(await db.selectFrom('publications').select('id').execute()).toHaveLength(1)
  await sql`alter table publication_chunks drop constraint broken`.execute(db)
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED', offers: 200 })
})

test('fails only the build whose connection is lost', async () => {
  const { db } = shop.deps
  await createProduct(db, { categoryId: await createCategory(db) })
  const { building } = await whileLocked(db, attributes, async () => {
    const building = rebuildFeed(shop.deps)
    await untilWaiting(db)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return { building }
  })
  expect(await building).toMatchObject({ status: 'FAILED' })
  expect(await feedFiles()).toEqual([])
  expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED' })
})

test('deletes temporary files of killed processes only', async () => {
  const folder = join(shop.deps.config.dataDir, 'feed')
  await mkdir(folder, { recursive: true })
  for (const name of ['old.tmp', 'new.tmp']) await writeFile(join(folder, name), 'half')
  await utimes(join(folder, 'old.tmp'), 0, 0)
  await rebuildFeed(shop.deps)
  expect(await feedFiles()).toEqual(['new.tmp'])
})

test('rebuilds exactly once more for requests during a build', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  const { id, builds } = await whileLocked(db, publishing, async () => {
    const first = rebuildFeed(shop.deps)
    await untilWaiting(db)
    const id = await createProduct(db, { categoryId })
    return { id, builds: [first, rebuildFeed(shop.deps), rebuildFeed(shop.deps), rebuildFeed(shop.deps)] }
  })
  const outcomes = await Promise.all(builds)
  expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(4).fill('PUBLISHED'))
  expect(new Set(outcomes).size).toBe(2)
  expect(offersOf(await fetchFeed())).toContain(id)
  expect(await db.selectFrom('publications').select('id').execute()).toHaveLength(2)
})

test('rebuilds once for many requests', async () => {
  const { db } = shop.deps
  await rebuildFeed(shop.deps)
  await createProduct(db, { categoryId: await createCategory(db) })
  for (let n = 0; n < 5; n++) requestFeedRebuild(shop.deps, 'feed', 'test')
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
    const builds = [rebuildFeed(shop.deps), rebuildFeed(other.deps)]
    for (const build of builds) void build.then(() => (ended += 1))
    await sleep(800)
    expect(ended).toBe(0)
    await lock?.release()
    const statuses = (await Promise.all(builds)).map((outcome) => outcome.status)
    expect(statuses.sort()).toEqual(['PUBLISHED', 'UNCHANGED'])

    for (let n = 0; n < 2; n++) {
      const id = await createProduct(db, { categoryId })
      await rebuildFeed(other.deps)
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

test('publishes nothing after the lock is lost', async () => {
  const { db, config } = shop.deps
  const categoryId = await createCategory(db)
  const feeds = () => db.selectFrom('publications').select('id').orderBy('id').execute()
  for (let n = 0; n < 2; n++) {
    await createProduct(db, { categoryId })
    expect(await rebuildFeed(shop.deps)).toMatchObject({ status: 'PUBLISHED' })
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
      const build = rebuildFeed(shop.deps)
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
  await rebuildFeed(shop.deps)
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
    const outcomes = [rebuildFeed(stopping.deps), rebuildFeed(stopping.deps)]
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
  const build = rebuildFeed(shop.deps).finally(() => {
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
  expect(await build).toMatchObject({ status: 'PUBLISHED', offers: 1500 })
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
