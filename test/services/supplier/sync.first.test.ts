import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { announceFullLoad } from '../../../src/services/supplier/sync.ts'
import { createCategory, createProduct } from '../../support/factories.ts'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// A shop with a real supplier, before its first sync.
let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop({}, { publishes: true })
})
beforeEach(async () => {
  await world.startOver()
  await world.shop.deps.db.deleteFrom('publications').execute()
  world.shop.deps.changes.receive(JSON.stringify({ from: 'test', changes: [{ kind: 'feed', ids: null }] }))
})
afterAll(() => world.close())

const FEED = '/api/v1/yml-catalog.xml'
const feed = () => world.shop.call('GET', FEED)
const unfilled = {
  status: 503,
  body: { code: 'UNAVAILABLE', message: expect.stringContaining('first sync') },
}

test('serves no empty feed but a 503 with Retry-After', async () => {
  const warn = vi.spyOn(world.shop.deps.log, 'warn')
  const answer = await feed()
  expect(answer).toMatchObject(unfilled)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await world.shop.call('HEAD', FEED)).status).toBe(503)
  // However often it is asked for, nothing is built and refused.
  expect(warn).not.toHaveBeenCalledWith(expect.anything(), 'feed rejected')
  warn.mockRestore()

  // Neither a changed setting nor a failed run publishes one.
  expect(await rebuild(world.shop.deps, 'feed')).toMatchObject({ status: 'REJECTED', entries: 0 })
  world.supplier.intercept = () => ({ status: 403, body: 'no' })
  expect(await world.sync()).toMatchObject({ status: 'FAILED', feed: { status: 'REJECTED' } })
  expect(await feed()).toMatchObject(unfilled)

  world.supplier.intercept = null
  world.supplier.lists.ListProducts = [wireProduct('a')]
  await world.sync()
  expect((await feed()).status).toBe(200)
})

test('publishes an empty feed only after two empty lists in a row', async () => {
  world.supplier.lists.ListProducts = []
  await world.sync()
  expect(await feed()).toMatchObject(unfilled)
  await world.sync()
  expect((await feed()).status).toBe(200)
})

test('publishes no part of the first list', async () => {
  world.supplier.intercept = ({ list, page }) => {
    if (list !== 'ListProducts') return undefined
    if (page === 2) return { status: 403, body: 'no' }
    return { body: { items: [wireProduct('a')], page, nextPage: 2 } }
  }
  expect(await world.sync()).toMatchObject({ status: 'FAILED', feed: { status: 'REJECTED' } })
  expect(await feed()).toMatchObject(unfilled)
  world.supplier.intercept = null
  world.supplier.lists.ListProducts = [wireProduct('a'), wireProduct('b')]
  expect(await world.sync()).toMatchObject({ status: 'SUCCEEDED', feed: { status: 'PUBLISHED' } })
  // Nor does a later failure or a reset withhold what was complete.
  await world.shop.deps.db.deleteFrom('sync_state').execute()
  expect(await rebuild(world.shop.deps, 'feed')).toMatchObject({ status: 'UNCHANGED' })
})

test('publishes products created by hand without a successful sync', async () => {
  const { db } = world.shop.deps
  await createProduct(db, { externalId: null, categoryId: await createCategory(db) })
  world.supplier.intercept = () => ({ status: 403, body: 'no' })
  expect(await world.sync()).toMatchObject({ status: 'FAILED', feed: { status: 'PUBLISHED' } })
  const answer = await feed()
  expect(answer.status).toBe(200)
  expect(answer.text).toContain('<offer id="')
})

test('serves an existing feed after the sync states are deleted', async () => {
  world.supplier.lists.ListProducts = [wireProduct('a')]
  await world.sync()
  await world.shop.deps.db.deleteFrom('sync_state').execute()
  await world.shop.deps.db.deleteFrom('products').execute()
  expect((await feed()).status).toBe(200)
})

async function announced(next: Date | null): Promise<string[]> {
  const lines: string[] = []
  const log = pino(new Writable({ write: (line, _, done) => done(void lines.push(JSON.parse(String(line)).msg)) }))
  await announceFullLoad({ ...world.shop.deps, log }, { url: 'http://127.0.0.1:3000', next })
  return lines
}

test('logs when the first sync or a full load comes and how to start it now', async () => {
  const next = new Date('2026-11-21T10:05:00Z')
  expect(await announced(next)).toEqual([
    'full load due: the next sync comes at 2026-11-21T10:05:00.000Z (SYNC_CRON). To start it now, as an ' +
      'administrator: curl -X POST -H "Authorization: Bearer $TOKEN" http://127.0.0.1:3000/admin/sync/run',
  ])
  expect((await announced(null))[0]).toMatch(/^full load due: no sync is scheduled on this instance.*curl/)
  const { db } = world.shop.deps
  const flag = (value: string) =>
    db.updateTable('app_config').set({ value }).where('key', '=', 'job_sync_enabled').execute()
  await flag('false')
  expect((await announced(next))[0]).toMatch(/^full load due: the schedule is switched off \(job_sync_enabled\).*curl/)
  await flag('true')
  world.supplier.lists.ListProducts = [wireProduct('a')]
  await world.sync()
  expect(await announced(next)).toEqual([])
  // The shop has products.
  await db.deleteFrom('sync_state').execute()
  expect(await announced(next)).toEqual([expect.stringContaining('full load due')])
})
