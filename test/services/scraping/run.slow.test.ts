import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { enqueueProduct } from '../../../src/services/scraping/queue.ts'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { createProduct } from '../../support/factories.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type ScriptedStorefront, startStorefront } from '../../support/storefront.ts'

const SETTINGS = { GBSTORE_SCRAPING_ALLOWED_HOSTS: '127.0.0.1', GBSTORE_SCRAPING_DELAY_MS: '0' }
const PATIENT = { timeout: PROCESS_TIMEOUT_MS }

let shop: TestShop
let web: ScriptedStorefront
let slow: ScriptedStorefront[]
let held: ServerResponse[]

beforeAll(async () => {
  shop = await startTestShop(SETTINGS)
})
afterAll(() => shop.close())
beforeEach(async () => {
  held = []
  web = await startStorefront()
  slow = await Promise.all(Array.from({ length: 4 }, startStorefront))
  for (const { paths } of slow) {
    paths.set('/p', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<p>')
      held.push(response)
    })
  }
  web.paths.set('/p', '<p>nothing to see')
})
afterEach(async () => {
  await Promise.all([web, ...slow].map((one) => one.close()))
  await shop.deps.db.deleteFrom('gbstore_scrape_queue').execute()
})

async function enqueue(site: string): Promise<number> {
  const id = await createProduct(shop.deps.db)
  return (await enqueueProduct(shop.deps, id, { pageUrl: `${site}/p` })).id
}
const tasks = (...columns: ('status' | 'attempts')[]) =>
  shop.deps.db.selectFrom('gbstore_scrape_queue').select(columns).orderBy('id').execute()

test('a slow page delays no other task', async () => {
  const id = await enqueue(slow[0]?.site ?? '')
  for (let n = 0; n < 25; n++) await enqueue(web.site)
  const running = runScraping(shop.deps)
  const done = Array(25).fill({ status: 'DONE' })
  await vi.waitFor(async () => expect(await tasks('status')).toEqual([{ status: 'IN_PROGRESS' }, ...done]), PATIENT)
  expect(held).toHaveLength(1)
  held[0]?.end()
  await running
  const task = shop.deps.db.selectFrom('gbstore_scrape_queue').select('status').where('id', '=', id)
  expect(await task.executeTakeFirst()).toEqual({ status: 'DONE' })
})

test('only tasks that are worked on have a lease, of a minute, and an attempt', async () => {
  for (const { site } of slow) await enqueue(site)
  for (let n = 0; n < 6; n++) await enqueue(web.site)
  const running = runScraping(shop.deps)
  await vi.waitFor(() => expect(held).toHaveLength(4), PATIENT)
  expect(await tasks('status', 'attempts')).toEqual([
    ...Array(4).fill({ status: 'IN_PROGRESS', attempts: 1 }),
    ...Array(6).fill({ status: 'PENDING', attempts: 0 }),
  ])
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from leased_until - updated_at)::float8 as seconds from gbstore_scrape_queue
    where leased_until is not null`.execute(shop.deps.db)
  expect(rows).toEqual(Array(4).fill({ seconds: 60 }))
  for (const response of held) response.end()
  await running
  expect(await tasks('status', 'attempts')).toEqual(Array(10).fill({ status: 'DONE', attempts: 1 }))
})

test('extends the lease of a task before it ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const { db } = shop.deps
    await enqueue(slow[0]?.site ?? '')
    const running = runScraping(shop.deps)
    await vi.waitFor(() => expect(held).toHaveLength(1), PATIENT)
    const soon = sql<Date>`now() + interval '1 second'`
    await db.updateTable('gbstore_scrape_queue').set({ leased_until: soon }).execute()
    vi.advanceTimersByTime(59_000)
    const isExtended = async () => {
      const task = db.selectFrom('gbstore_scrape_queue').select(sql<boolean>`leased_until > ${soon}`.as('extended'))
      expect(await task.execute()).toEqual([{ extended: true }])
    }
    await vi.waitFor(isExtended, PATIENT)
    held[0]?.end()
    await running
  } finally {
    vi.useRealTimers()
  }
})

test('logs one line at the end, which counts how its tasks ended', async () => {
  web.paths.set('/p', 503)
  await enqueue(web.site)
  const info = vi.spyOn(shop.deps.log, 'info')
  const warn = vi.spyOn(shop.deps.log, 'warn')
  try {
    await runScraping(shop.deps)
    expect(warn).not.toHaveBeenCalled()
    const [line] = info.mock.calls.filter(([, message]) => message === 'scraping finished')
    expect(line?.[0]).toMatchObject({ done: 0, failed: 0, rescheduled: 1 })
  } finally {
    info.mockRestore()
    warn.mockRestore()
  }
})
