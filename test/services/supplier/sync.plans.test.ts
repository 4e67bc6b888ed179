import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// Plans and statistics of a few products must not slow down a load of thousands.
const MANY = 1400
let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop()
  // What is read again from memory counts as read.
  const { db } = world.shop.deps
  await sql`do $$ begin
    execute format('alter database %I set enable_material = off', current_database());
  end $$`.execute(db)
})
afterAll(() => world.close())

function serve(from: number, count: number): void {
  const items = Array.from({ length: count }, (_, index) =>
    wireProduct(`p${from + index}`, { attributes: [{ name: 'Colour', value: 'red' }] }),
  )
  world.supplier.intercept = ({ list, page }) =>
    list === 'ListProducts' ? { body: { items, page, nextPage: null } } : undefined
}

/** Rows read from these tables so far; backends report their statistics when they disconnect. */
async function rowsRead(): Promise<number> {
  const { db } = world.shop.deps
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db)
  const pids = rows.map(({ pid }) => pid)
  await sql`select pg_terminate_backend(pid) from unnest(${pids}::int[]) pid`.execute(db)
  const left = () => sql`select from pg_stat_activity where pid = any(${pids}::int[])`.execute(db)
  await expect.poll(async () => (await left()).rows).toEqual([])
  const read = await sql<{ rows: number }>`
    select sum(t.seq_tup_read + coalesce(i.read, 0))::int as rows
    from pg_stat_user_tables t
    left join lateral (
      select sum(idx_tup_read) as read from pg_stat_user_indexes i where i.relid = t.relid
    ) i on true
    where t.relname in ('products', 'sync_seen_products')`.execute(db)
  return read.rows[0]?.rows ?? Number.NaN
}

test('loads thousands of products into a shop of three without table scans', async () => {
  serve(0, 3)
  await world.sync({ full: true })
  await sql`vacuum analyze`.execute(world.shop.deps.db)
  for (let from = 0; from < 15; from += 3) {
    serve(from, 6)
    await world.sync({ full: true })
  }
  const before = await rowsRead()
  serve(0, MANY)
  expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED', error: null })
  expect((await rowsRead()) - before).toBeLessThan(50 * MANY)
  // Once by the test, once by the run.
  const looked = await sql<{ relname: string }>`
    select relname from pg_stat_user_tables
    where analyze_count >= 2 and relname in ('products', 'slug_history')
    order by relname`.execute(world.shop.deps.db)
  expect(looked.rows.map(({ relname }) => relname)).toEqual(['products', 'slug_history'])
})

const PAGE_SIZE = 200

/** Serves products with an attribute each. */
function serveInPages(): void {
  const all = Array.from({ length: MANY }, (_, index) =>
    wireProduct(`q${index}`, { attributes: [{ name: 'Colour', value: 'red' }] }),
  )
  world.supplier.intercept = ({ list, page }) => {
    if (list !== 'ListProducts') return undefined
    const items = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
    return { body: { items, page, nextPage: page * PAGE_SIZE < all.length ? page + 1 : null } }
  }
}

/**
 * Fakes statistics that autovacuum leaves when it runs before the first rows of a table are committed.
 * @param like names of tables
 */
const believeEmpty = (like: string) =>
  sql`
    update pg_class set reltuples = 0, relpages = 1
    where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace and relname like ${like}`.execute(
    world.shop.deps.db,
  )

test('loads and rereads products despite statistics of empty tables', async () => {
  await world.startOver()
  serve(0, 3)
  await world.sync({ full: true })
  // The first load fills all tables, the next one only those of the sync.
  for (const tables of ['%', 'sync%']) {
    await believeEmpty(tables)
    const before = await rowsRead()
    serveInPages()
    expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED', error: null })
    expect((await rowsRead()) - before).toBeLessThan(50 * MANY)
  }
})
