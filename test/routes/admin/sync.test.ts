import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { generateCatalogue } from '../../../demo/generate.ts'
import { loginAs } from '../../support/accounts.ts'
import { whileLocked } from '../../support/locks.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

let world: SupplierShop
let token: string

beforeAll(async () => {
  world = await startSupplierShop({}, generateCatalogue({ products: 120, seed: 11 }))
  token = await loginAs(world.shop, 'ADMIN')
})
beforeEach(() => world.supplier.faults.reset())
afterAll(() => world.close())

test.each(['/api/v1/admin/sync', '/admin/sync'])('%s runs, shows and resets the sync', async (prefix) => {
  const { shop } = world
  const run = await shop.call('POST', `${prefix}/run?wait=true`, { token })
  expect(run.status).toBe(200)
  expect(run.body).toMatchObject({
    status: 'SUCCEEDED',
    trigger: 'MANUAL',
    feed: { status: expect.any(String) },
  })

  const states = await shop.call('GET', `${prefix}/states`, { token })
  const read = { lastSyncTime: expect.stringMatching(/Z$/) }
  expect(states.body).toEqual([
    { syncType: 'BRANDS', ...read },
    { syncType: 'CATEGORIES', ...read },
    { syncType: 'PRODUCTS', ...read },
  ])
  expect((await shop.call('POST', `${prefix}/reset`, { token })).body).toEqual([])
  expect((await shop.call('GET', `${prefix}/states`, { token })).body).toEqual([])
})

test('responds 202 with the id, and 409 with the same id to a second run', async () => {
  const { shop } = world
  const lock = sql`lock table categories in exclusive mode`
  const [first, second] = await whileLocked(
    shop.deps.db,
    (trx) => lock.execute(trx),
    async () => [
      await shop.call('POST', '/api/v1/admin/sync/run', { token }),
      await shop.call('POST', '/api/v1/admin/sync/run', { token, body: {} }),
    ],
  )
  expect(first).toMatchObject({ status: 202, body: { runId: expect.any(Number), status: 'RUNNING' } })
  expect(second).toMatchObject({ status: 409, body: { code: 'SYNC_RUNNING' } })
  expect(second?.body).toMatchObject({ runId: Reflect.get(Object(first?.body), 'runId') })
  await expect
    .poll(async () => (await shop.call('GET', '/api/v1/admin/sync/runs?size=1', { token })).text)
    .toContain('SUCCEEDED')
})

test('a waiting caller gets the run once its outcome can be stored', async () => {
  const { shop } = world
  const { db } = shop.deps
  await sql`create sequence attempts`.execute(db)
  await sql`create function refuse() returns trigger language plpgsql as $$
    begin perform nextval('attempts'); raise exception 'no space' using errcode = '53100'; end $$`.execute(db)
  await sql`create trigger refuse before update on sync_runs for each row
    when (new.status <> 'RUNNING') execute function refuse()`.execute(db)
  const waiting = shop.call('POST', '/api/v1/admin/sync/run?wait=true', { token })
  const attempts = async () =>
    (await sql<{ count: number }>`select last_value::int as count from attempts`.execute(db)).rows[0]?.count
  await expect.poll(attempts).toBeGreaterThan(1)
  await sql`drop function refuse cascade`.execute(db)
  expect(await waiting).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } })
})

test('lists runs in pages, and shows the skipped records of one', async () => {
  const { shop } = world
  world.supplier.rawProducts.push({ id: 'bad', name: 'Плохой', price: -5 })
  const { id } = await world.sync()
  world.supplier.rawProducts.length = 0
  const page = await shop.call('GET', '/api/v1/admin/sync/runs?size=2', { token })
  expect(page.body).toMatchObject({
    number: 0,
    size: 2,
    first: true,
    content: [{ id }, { id: expect.any(Number) }],
  })
  const run = await shop.call('GET', `/api/v1/admin/sync/runs/${id}`, { token })
  expect(run.body).toMatchObject({
    id,
    skippedRecords: [{ syncType: 'PRODUCTS', externalId: 'bad', reason: 'price is negative: -5' }],
  })
})

test('rejects invalid ids and parameters and names them', async () => {
  const { shop } = world
  for (const id of ['99999999999', '2147483647', '0']) {
    expect((await shop.call('GET', `/api/v1/admin/sync/runs/${id}`, { token })).status).toBe(404)
  }
  for (const id of ['first', '-1', '0x10', '1e1']) {
    expect((await shop.call('GET', `/api/v1/admin/sync/runs/${id}`, { token })).status).toBe(400)
  }
  for (const query of ['wait=perhaps', 'wait=true&wait=false']) {
    const answer = await shop.call('POST', `/api/v1/admin/sync/run?${query}`, { token })
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [{ path: expect.stringContaining('wait') }] },
    })
  }
  const sized = await shop.call('GET', '/api/v1/admin/sync/runs?size=101', { token })
  expect(sized).toMatchObject({ status: 400, body: { details: [{ path: 'querystring.size' }] } })
})

test('a full load in progress says how many products the last one listed, from its second page on', async () => {
  const { db } = world.shop.deps
  const insert = async (status: 'RUNNING' | 'SUCCEEDED' | 'FAILED', full: boolean, seen: number) => {
    const run = { status, trigger: 'MANUAL' as const, started_at: new Date() }
    const { id } = await db.insertInto('sync_runs').values(run).returning('id').executeTakeFirstOrThrow()
    const counts = { seen, created: 0, updated: 0, unchanged: 0, skipped: 0, deactivated: 0 }
    await db
      .insertInto('sync_run_types')
      .values({ run_id: id, sync_type: 'PRODUCTS', full_load: full, ...counts })
      .execute()
    const one = await world.shop.call('GET', `/api/v1/admin/sync/runs/${id}`, { token })
    const list = (await world.shop.call('GET', '/api/v1/admin/sync/runs?size=1', { token })).body as {
      content: { expected: number | null }[]
    }
    expect(one.body).toMatchObject({ expected: list.content[0]?.expected })
    await db
      .updateTable('sync_runs')
      .set({ status: status === 'RUNNING' ? 'FAILED' : status })
      .where('id', '=', id)
      .execute()
    return list.content[0]?.expected
  }
  expect(await insert('SUCCEEDED', true, 2000)).toBeNull()
  await insert('SUCCEEDED', false, 3)
  await insert('FAILED', true, 700)
  expect(await insert('RUNNING', true, 0)).toBeNull()
  expect(await insert('RUNNING', true, 100)).toBe(2000)
  expect(await insert('RUNNING', false, 100)).toBeNull()
})
