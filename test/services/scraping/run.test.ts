import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { listDownloadsOfProduct } from '../../../db/queries/scraping/downloads.ts'
import { retryFailedDownloads, retryImageDownload } from '../../../src/services/scraping/image-log.ts'
import { enqueueProduct, importImages } from '../../../src/services/scraping/queue.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { createImage, createProduct } from '../../support/factories.ts'
import { newImage } from '../../support/images.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type ScriptedStorefront, startStorefront } from '../../support/storefront.ts'

const SETTINGS = { GBSTORE_SCRAPING_ALLOWED_HOSTS: '127.0.0.1', GBSTORE_SCRAPING_DELAY_MS: '0' }

let shop: TestShop
let other: TestShop
let web: ScriptedStorefront

beforeAll(async () => {
  shop = await startTestShop(SETTINGS)
  other = await startTestShop(
    { ...SETTINGS, DATA_DIR: shop.deps.config.dataDir },
    { databaseUrl: shop.deps.config.databaseUrl },
  )
})
afterAll(async () => {
  await other.close()
  await shop.close()
})
beforeEach(async () => {
  web = await startStorefront()
})
afterEach(async () => {
  await web.close()
  const { db } = shop.deps
  await db.deleteFrom('gbstore_scrape_queue').execute()
  await db.deleteFrom('gbstore_image_download_log').execute()
  await db.deleteFrom('product_image_overrides').execute()
})

/** A page with these images in its gallery, at `/p`. */
function page(...images: string[]): string {
  return `<h1>Чайник</h1><div class="gallery">${images.map((path) => `<img src="${path}">`).join('')}</div>`
}

/** A product whose page shows as many new pictures as are named, and what it is asked for. */
async function pictured(...names: string[]): Promise<number> {
  const id = await createProduct(shop.deps.db)
  for (const name of names) web.paths.set(`/${name}`, await newImage())
  web.paths.set(`/p/${id}`, page(...names.map((name) => `/${name}`)))
  await setPage(id, `${web.site}/p/${id}`)
  return id
}
async function setPage(id: number, url: string | null): Promise<void> {
  await shop.deps.db.updateTable('products').set({ page_url: url }).where('id', '=', id).execute()
}
async function scrape(id: number, pageUrl?: string) {
  const task = await enqueueProduct(shop.deps, id, pageUrl === undefined ? {} : { pageUrl })
  await runScraping(shop.deps)
  return taskOf(task.id)
}
const taskOf = (id: number) =>
  shop.deps.db.selectFrom('gbstore_scrape_queue').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
/** Paths of what a product shows, in its order; what staff linked is its id. */
async function shown(id: number): Promise<(string | number)[]> {
  const { db } = shop.deps
  const log = await db
    .selectFrom('gbstore_image_download_log')
    .selectAll()
    .where('product_id', '=', id)
    .execute()
  const links = await db
    .selectFrom('product_images')
    .selectAll()
    .where('product_id', '=', id)
    .orderBy('display_order')
    .orderBy('image_id')
    .execute()
  return links.map(({ image_id }) => {
    const url = log.find((entry) => entry.image_id === image_id)?.image_url
    return url?.startsWith('http') ? new URL(url).pathname : image_id
  })
}
const logOf = async (id: number) =>
  shop.deps.db
    .selectFrom('gbstore_image_download_log')
    .select(['image_url', 'status', 'attempts', 'error_message'])
    .where('product_id', '=', id)
    .orderBy('position')
    .orderBy('id')
    .execute()
async function override(productId: number, mode: 'REPLACE' | 'APPEND', ...paths: string[]): Promise<void> {
  for (const path of paths) if (!web.paths.has(path)) web.paths.set(path, await newImage())
  await shop.deps.db
    .insertInto('product_image_overrides')
    .values({ product_id: productId, mode, urls: paths.map((path) => web.site + path) })
    .onConflict((on) =>
      on
        .column('product_id')
        .doUpdateSet((eb) => ({ mode: eb.ref('excluded.mode'), urls: eb.ref('excluded.urls') })),
    )
    .execute()
}

test('stores, links in page order and logs images', async () => {
  const id = await pictured('a.png', 'b.png', 'c.png')
  const task = await scrape(id)
  expect(task).toMatchObject({ status: 'DONE', attempts: 1, error_message: null, leased_until: null })
  expect(await shown(id)).toEqual(['/a.png', '/b.png', '/c.png'])
  expect(await logOf(id)).toEqual(
    ['a', 'b', 'c'].map((name) => ({
      image_url: `${web.site}/${name}.png`,
      status: 'SUCCESS',
      attempts: 1,
      error_message: null,
    })),
  )
  const answer = await shop.call('GET', `/api/v1/products/${id}`)
  expect(answer.body).toMatchObject({
    images: [{ displayOrder: 0 }, { displayOrder: 1 }, { displayOrder: 2 }],
  })
})

test('logs the reason for a broken image and stores the others', async () => {
  const id = await pictured('a.png', 'html.png', 'empty.png', 'cut.png', 'gone.png', 'private.png', 'z.png')
  const whole = await newImage({ width: 300, height: 300 })
  web.paths.set('/html.png', '<h1>Заходите позже</h1>')
  web.paths.set('/empty.png', Buffer.alloc(0))
  web.paths.set('/cut.png', whole.subarray(0, whole.length / 2))
  web.paths.set('/gone.png', 404)
  web.paths.set('/private.png', (_, response) =>
    response.writeHead(302, { location: 'http://10.0.0.1/x.png' }).end(),
  )
  const task = await scrape(id)
  expect(task).toMatchObject({ status: 'DONE', error_message: '5 of 7 images failed: see the image log' })
  expect(await shown(id)).toEqual(['/a.png', '/z.png'])
  const reasons = (await logOf(id)).map(({ status, error_message }) =>
    `${status} ${error_message ?? ''}`.trim(),
  )
  expect(reasons).toEqual([
    'SUCCESS',
    expect.stringMatching(/^FAILED The file is not a JPEG.*text\/html/),
    'FAILED The response is empty',
    expect.stringMatching(/^FAILED The image is damaged/),
    'FAILED The server answered 404',
    'FAILED The address is private or not on the public internet',
    'SUCCESS',
  ])
})

test('stores equal bytes once for all URLs and products', async () => {
  const first = await pictured('a.png', 'b.png')
  const bytes = await newImage()
  for (const path of ['/a.png', '/b.png', '/other.png']) web.paths.set(path, bytes)
  await scrape(first)
  const second = await pictured()
  web.paths.set(`/p/${second}`, page('/other.png'))
  await scrape(second)
  const images = await shop.deps.db
    .selectFrom('product_images')
    .select('image_id')
    .where('product_id', 'in', [first, second])
    .execute()
  expect(images).toHaveLength(2)
  expect(new Set(images.map(({ image_id }) => image_id)).size).toBe(1)
})

test('downloads no image twice', async () => {
  const id = await pictured('a.png', 'b.png')
  await scrape(id)
  const before = await logOf(id)
  web.asked.length = 0
  await scrape(id)
  expect(web.asked).toEqual([`/p/${id}`])
  expect([await shown(id), await logOf(id)]).toEqual([['/a.png', '/b.png'], before])
  const tasks = await shop.deps.db
    .selectFrom('gbstore_scrape_queue')
    .select('id')
    .where('product_id', '=', id)
    .execute()
  expect(tasks).toHaveLength(1)
})

test('keeps images linked by staff first, and those they unlinked away', async () => {
  const id = await pictured('a.png', 'b.png')
  const { db } = shop.deps
  const own = await createImage(db, { productId: id, displayOrder: 7 })
  await scrape(id)
  expect(await shown(id)).toEqual([own, '/a.png', '/b.png'])
  const [a] = await listDownloadsOfProduct(db, id)
  await db
    .deleteFrom('product_images')
    .where('product_id', '=', id)
    .where('image_id', '=', a?.image_id ?? 0)
    .execute()
  await scrape(id)
  expect(await shown(id)).toEqual([own, '/b.png'])
  const orders = await db
    .selectFrom('product_images')
    .select('display_order')
    .where('image_id', '=', own)
    .execute()
  expect(orders).toEqual([{ display_order: 7 }])
})

test('unlinks the page’s images with REPLACE, and appends with APPEND', async () => {
  const id = await pictured('a.png', 'b.png')
  await scrape(id)
  await override(id, 'REPLACE', '/own1.png', '/own2.png')
  web.asked.length = 0
  await scrape(id)
  expect(web.asked).toEqual(['/own1.png', '/own2.png'])
  expect(await shown(id)).toEqual(['/own1.png', '/own2.png'])
  await override(id, 'APPEND', '/more.png')
  const fresh = await pictured('c.png', 'd.png')
  await override(fresh, 'APPEND', '/more2.png')
  await scrape(fresh)
  expect(await shown(fresh)).toEqual(['/c.png', '/d.png', '/more2.png'])
})

test('keeps the images when all URLs of a REPLACE fail', async () => {
  const id = await pictured('a.png')
  await scrape(id)
  await override(id, 'REPLACE', '/own.png')
  web.paths.set('/own.png', 404)
  expect(await scrape(id)).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringContaining('None of 1 images'),
  })
  expect(await shown(id)).toEqual(['/a.png'])
})

test('prefers the page of the task, the supplier, then the feed, and falls back to the feed’s pictures', async () => {
  const { db } = shop.deps
  const id = await pictured('a.png')
  web.paths.set('/feed', page('/feed.png'))
  web.paths.set('/feed.png', await newImage())
  web.paths.set('/own', page('/own.png'))
  web.paths.set('/own.png', await newImage())
  await db
    .insertInto('product_feed_data')
    .values({ product_id: id, page_url: `${web.site}/feed`, pictures: [] })
    .execute()
  await scrape(id, `${web.site}/own`)
  expect(await shown(id)).toEqual(['/own.png'])
  await scrape(id)
  expect((await shown(id)).toSorted()).toEqual(['/a.png', '/own.png'])
  await setPage(id, null)
  await scrape(id)
  expect((await shown(id)).toSorted()).toEqual(['/a.png', '/feed.png', '/own.png'])
  const none = await createProduct(db)
  expect(await scrape(none)).toMatchObject({
    status: 'FAILED',
    attempts: 1,
    error_message: expect.stringMatching(/^No page URL is known/),
  })
  const pictures = [`${web.site}/a.png`, `${web.site}/own.png`]
  await db.insertInto('product_feed_data').values({ product_id: none, page_url: null, pictures }).execute()
  expect(await scrape(none)).toMatchObject({ status: 'DONE' })
  expect(await shown(none)).toEqual(['/a.png', '/own.png'])
})

test('fails at once for a private page or one disallowed by robots.txt', async () => {
  const id = await pictured('a.png')
  web.paths.set('/robots.txt', 'User-agent: *\nDisallow: /p/')
  expect(await scrape(id)).toMatchObject({ status: 'FAILED', error_message: 'Robots.txt disallows the page' })
  expect(await shown(id)).toEqual([])
  expect(await scrape(id, 'http://192.168.0.1/')).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringContaining('private'),
  })
})

test('fails at once for a page that is gone, and completes one without images with a message', async () => {
  const id = await pictured()
  const found = web.paths.get(`/p/${id}`) ?? ''
  web.paths.set(`/p/${id}`, 410)
  const gone = { status: 'FAILED', attempts: 1, error_message: 'The server answered 410' }
  expect(await scrape(id)).toMatchObject(gone)
  web.paths.set(`/p/${id}`, found)
  expect(await scrape(id)).toMatchObject({
    status: 'DONE',
    error_message: 'The page shows no images of the product',
  })
})

test('retries temporary failures five times with growing delays, or as the server asks', async () => {
  const id = await pictured('a.png')
  const { db } = shop.deps
  web.paths.set(`/p/${id}`, (_, response) => response.writeHead(503, { 'retry-after': '1800' }).end())
  let task = await scrape(id)
  expect(task).toMatchObject({ status: 'PENDING', attempts: 1, error_message: 'The server answered 503' })
  expect(task.next_attempt_at.getTime() - Date.now()).toBeGreaterThan(1_700_000)
  await runScraping(shop.deps)
  expect((await taskOf(task.id)).attempts).toBe(1)
  for (let attempt = 2; attempt <= 5; attempt++) {
    await db
      .updateTable('gbstore_scrape_queue')
      .set({ next_attempt_at: new Date(0) })
      .execute()
    await runScraping(shop.deps)
    task = await taskOf(task.id)
    expect([task.attempts, task.status]).toEqual([attempt, attempt < 5 ? 'PENDING' : 'FAILED'])
  }
})

test('retries failed images and links them at their place on the page', async () => {
  const id = await pictured('a.png', 'b.png', 'c.png')
  web.paths.set('/b.png', 404)
  await scrape(id)
  web.paths.set('/b.png', await newImage())
  expect(await retryFailedDownloads(shop.deps)).toEqual({ enqueued: 1 })
  web.asked.length = 0
  await runScraping(shop.deps)
  expect(web.asked).toEqual(['/b.png'])
  expect(await shown(id)).toEqual(['/a.png', '/b.png', '/c.png'])
  expect((await logOf(id)).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['SUCCESS', 1],
    ['SUCCESS', 2],
    ['SUCCESS', 1],
  ])
})

test('replaces an image by its repeated download', async () => {
  const id = await pictured('a.png', 'b.png')
  await scrape(id)
  const before = await listDownloadsOfProduct(shop.deps.db, id)
  web.paths.set('/a.png', await newImage())
  const { db } = shop.deps
  const entry = await db
    .selectFrom('gbstore_image_download_log')
    .select('id')
    .where('image_url', '=', `${web.site}/a.png`)
    .executeTakeFirstOrThrow()
  await retryImageDownload(shop.deps, entry.id)
  await runScraping(shop.deps)
  expect(await shown(id)).toEqual(['/a.png', '/b.png'])
  const after = await listDownloadsOfProduct(db, id)
  expect(after.map(({ image_id }) => image_id)).not.toEqual(before.map(({ image_id }) => image_id))
})

test('appends imported images without reading the page', async () => {
  const id = await pictured('a.png')
  await scrape(id)
  await setPage(id, null)
  web.paths.set('/hand.png', await newImage())
  await importImages(shop.deps, { productId: id, urls: [`${web.site}/hand.png`, `${web.site}/gone.png`] })
  await runScraping(shop.deps)
  expect(await shown(id)).toEqual(['/a.png', '/hand.png'])
  expect((await logOf(id)).map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS', 'FAILED'])
})

test('prefers the setting to the environment', async () => {
  const { db } = shop.deps
  const set = (value: string) =>
    db.updateTable('app_config').set({ value }).where('key', '=', 'gbstore.scraping.enabled').execute()
  const before = await db
    .selectFrom('app_config')
    .selectAll()
    .where('key', '=', 'gbstore.scraping.enabled')
    .execute()
  if (before.length === 0)
    await db
      .insertInto('app_config')
      .values({ key: 'gbstore.scraping.enabled', value: '', description: '' })
      .execute()
  const id = await pictured('a.png')
  await set('false')
  expect(await scrape(id)).toMatchObject({ status: 'PENDING', attempts: 0 })
  await set('true')
  await runScraping(shop.deps)
  expect(await shown(id)).toEqual(['/a.png'])
  await set('')
})

test('shares the work between two instances', async () => {
  const ids: number[] = []
  for (let n = 0; n < 6; n++) ids.push(await pictured(`x${n}.png`, `y${n}.png`))
  for (const id of ids) await enqueueProduct(shop.deps, id, {})
  await Promise.all([runScraping(shop.deps), runScraping(other.deps)])
  const tasks = await shop.deps.db.selectFrom('gbstore_scrape_queue').select(['status', 'attempts']).execute()
  expect(tasks).toEqual(Array(6).fill({ status: 'DONE', attempts: 1 }))
  const fetched = web.asked.filter((path) => path !== '/robots.txt')
  expect(fetched.length).toBe(18)
  expect(new Set(fetched).size).toBe(18)
})

test('loses and duplicates nothing after kill -9', async () => {
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await pictured(`k${n}a.png`, `k${n}b.png`))
  let last = 0
  for (const id of ids) last = (await enqueueProduct(shop.deps, id, {})).id
  const { config, db } = shop.deps
  // Some products are done, one half done, when the process is killed.
  const reached = Promise.withResolvers<void>()
  const half = web.paths.get('/k3b.png') ?? ''
  web.paths.set('/k3b.png', () => reached.resolve())
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
  web.paths.set('/k3b.png', half)
  expect((await exit)[1]).toBe('SIGKILL')
  // The lease still holds: nobody takes it.
  await runScraping(shop.deps)
  expect(await taskOf(last)).toMatchObject({ status: 'IN_PROGRESS', attempts: 1 })
  await db
    .updateTable('gbstore_scrape_queue')
    .set({ leased_until: new Date(0) })
    .where('status', '=', 'IN_PROGRESS')
    .execute()
  await runScraping(shop.deps)
  const tasks = await db.selectFrom('gbstore_scrape_queue').select('status').execute()
  expect(tasks).toEqual(Array(4).fill({ status: 'DONE' }))
  for (const [n, id] of ids.entries()) expect(await shown(id)).toEqual([`/k${n}a.png`, `/k${n}b.png`])
  const hashes = await db.selectFrom('images').select('sha256').execute()
  expect(new Set(hashes.map(({ sha256 }) => sha256)).size).toBe(hashes.length)
})

test('fails a task after five crashes', async () => {
  const id = await pictured('a.png')
  const task = await enqueueProduct(shop.deps, id, {})
  await shop.deps.db
    .updateTable('gbstore_scrape_queue')
    .set({ status: 'IN_PROGRESS', attempts: 5, leased_until: new Date(0) })
    .execute()
  await runScraping(shop.deps)
  expect(await taskOf(task.id)).toMatchObject({
    status: 'FAILED',
    error_message: 'The process running the task ended',
  })
})

test('releases the tasks while the storage is unavailable', async () => {
  const folder = join(shop.deps.config.dataDir, 'objects')
  await rename(folder, `${folder}-away`)
  await writeFile(folder, 'in the way')
  try {
    const id = await pictured('a.png')
    const task = await enqueueProduct(shop.deps, id, {})
    await expect(runScraping(shop.deps)).rejects.toMatchObject({ status: 503 })
    expect(await taskOf(task.id)).toMatchObject({ status: 'PENDING', attempts: 0, error_message: null })
    expect(await logOf(id)).toEqual([])
  } finally {
    await rm(folder)
    await rename(`${folder}-away`, folder)
  }
})

// The last one: it stops an instance.
test('releases unfinished tasks on stop', async () => {
  const id = await pictured('a.png', 'silent.png', 'c.png')
  const reached = Promise.withResolvers<void>()
  web.paths.set('/silent.png', () => reached.resolve())
  const task = await enqueueProduct(shop.deps, id, {})
  const running = runScraping(other.deps)
  await reached.promise
  await other.deps.tasks.stop()
  await running
  expect(await taskOf(task.id)).toMatchObject({ status: 'PENDING', attempts: 0, leased_until: null })
  web.paths.set('/silent.png', await newImage())
  web.asked.length = 0
  await runScraping(shop.deps)
  expect(web.asked.filter((path) => path.endsWith('.png'))).toEqual(['/silent.png', '/c.png'])
  expect(await shown(id)).toEqual(['/a.png', '/silent.png', '/c.png'])
})
