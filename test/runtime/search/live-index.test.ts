import { setImmediate as nextTurn } from 'node:timers/promises'
import { type KyselyPlugin, sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../../db/database.ts'
import { EVERY_ACTIVE } from '../../../src/rules/catalogue/product-filter.ts'
import { type Caches, createCaches } from '../../../src/runtime/cache/caches.ts'
import type { ChangeKind } from '../../../src/runtime/changes/kinds.ts'
import { createTasks, type Tasks } from '../../../src/runtime/concurrency/tasks.ts'
import { createLiveIndex } from '../../../src/runtime/search/live-index.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createBrand, createCategory, createManyProducts, createProduct } from '../../support/factories.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let opened: Database
let live: ReturnType<typeof createLiveIndex>
let caches: Caches
/** Called after each statement that reads products. */
let afterRead: () => Promise<void> | void
let statements: number
let tasks: Tasks

beforeEach(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.url, () => {})
  statements = 0
  afterRead = () => {}
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements += 1
      if (result.rows.some((row) => 'created_at' in row)) await afterRead()
      return result
    },
  }
  tasks = createTasks()
  caches = createCaches()
  live = createLiveIndex({
    db: opened.db.withPlugin(plugin),
    caches,
    tasks,
    log: pino({ level: 'silent' }),
  })
  caches.setTrusted(true)
})
afterEach(async () => {
  await opened.close()
  await database.drop()
})

async function stocks(): Promise<number[]> {
  const index = await live.current()
  return index.find(EVERY_ACTIVE, { order: { field: 'stock', descending: false }, page: 0, size: 10 }).ids
}
const setStock = (id: number, stock: number) =>
  opened.db.updateTable('products').set({ stock }).where('id', '=', id).execute()
const announce = (kind: ChangeKind, ...ids: number[]) => caches.invalidate([{ kind, ids: new Set(ids) }])
/** Runs once, after the next statement that reads products. */
function once(happens: () => Promise<unknown>): void {
  afterRead = async () => {
    afterRead = () => {}
    await happens()
  }
}

test('reads changed products before the next answer, and nothing without a change', async () => {
  const first = await createProduct(opened.db, { stock: 1 })
  const second = await createProduct(opened.db, { stock: 2 })
  expect(await stocks()).toEqual([first, second])
  for (const [round, kind] of (['product', 'stock', 'demand'] as const).entries()) {
    const [least, most] = round % 2 === 0 ? [second, first] : [first, second]
    await setStock(most, 10 + round)
    await setStock(least, 1)
    announce(kind, first, second)
    expect(await stocks()).toEqual([least, most])
  }
  statements = 0
  announce('brand', first)
  await stocks()
  expect(statements).toBe(0)
  await opened.db.deleteFrom('products').where('id', '=', first).execute()
  announce('product', first)
  expect(await stocks()).toEqual([second])
})

test.each([
  ['one product', false],
  ['any product', true],
])('reads again what changes during a read: %s', async (_, any) => {
  const first = await createProduct(opened.db, { stock: 1 })
  const second = await createProduct(opened.db, { stock: 2 })
  const change = async (stock: number) => {
    await setStock(first, stock)
    caches.invalidate([{ kind: 'product', ids: any ? null : new Set([first]) }])
  }
  // All products, then one, then all again.
  for (const begin of [() => {}, () => announce('stock', second), () => caches.clear()]) {
    begin()
    await setStock(first, 1)
    once(() => change(5))
    await stocks()
    expect(await stocks()).toEqual([second, first])
  }
})

test('shows a caller its own change while another read is in progress', async () => {
  const first = await createProduct(opened.db, { stock: 1 })
  const second = await createProduct(opened.db, { stock: 2 })
  await stocks()
  announce('stock', second)
  let ownAnswer: Promise<number[]> | undefined
  once(async () => {
    await setStock(first, 3)
    announce('stock', first)
    ownAnswer = stocks()
  })
  await stocks()
  expect(await ownAnswer).toEqual([second, first])
})

test('shows a caller its own change while a reload from before the change ends', async () => {
  const first = await createProduct(opened.db, { stock: 1 })
  const second = await createProduct(opened.db, { stock: 2 })
  await stocks()
  const [hasRead, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  once(async () => {
    hasRead.resolve()
    await mayEnd.promise
  })
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5 * 60_000)
  await stocks()
  now.mockRestore()
  await hasRead.promise
  await setStock(first, 5)
  announce('stock', first)
  once(async () => {
    mayEnd.resolve()
    await nextTurn()
  })
  expect(await stocks()).toEqual([second, first])
  expect(await stocks()).toEqual([second, first])
})

test('loads all products again after a failed read', async () => {
  const first = await createProduct(opened.db, { stock: 1 })
  await stocks()
  announce('stock', first)
  once(() => Promise.reject(new Error('connection lost')))
  await expect(stocks()).rejects.toThrow('connection lost')
  expect(await stocks()).toEqual([first])
})

test('answers from memory for a second at most while changes of other instances cannot be received', async () => {
  const first = await createProduct(opened.db, { stock: 1 })
  const second = await createProduct(opened.db, { stock: 2 })
  await stocks()
  caches.setTrusted(false)
  await setStock(first, 3)
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    expect(await stocks()).toEqual([second, first])
    const afterLoad = performance.now()
    await setStock(first, 1)
    statements = 0
    for (let n = 0; n < 5; n++) expect(await stocks()).toEqual([second, first])
    expect(statements).toBe(0)
    // A change of this instance shows at once.
    await setStock(first, 4)
    await setStock(second, 5)
    announce('stock', first, second)
    expect(await stocks()).toEqual([first, second])
    await setStock(first, 6)
    now.mockReturnValue(afterLoad + 1000)
    expect(await stocks()).toEqual([second, first])
  } finally {
    now.mockRestore()
  }
  caches.setTrusted(true)
  // What was loaded before may have missed a change.
  await setStock(first, 1)
  expect(await stocks()).toEqual([first, second])
})

test('loads all products once for any number of requests while changes cannot be received', async () => {
  await createProduct(opened.db)
  // The first load reads stems too.
  await stocks()
  caches.setTrusted(false)
  statements = 0
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    let later: Promise<unknown> | undefined
    once(async () => {
      later = Promise.all(Array.from({ length: 10 }, () => stocks()))
    })
    await Promise.all(Array.from({ length: 10 }, () => stocks()))
    await later
  } finally {
    now.mockRestore()
  }
  // The ids, then the products.
  expect(statements).toBe(2)
})

test('reads products ahead of requests once started, changed ones together in a pause between changes', async () => {
  live.start()
  const read = () => expect.poll(() => statements).toBeGreaterThan(0)
  await read()
  await live.current()
  statements = 0
  for (let id = 1; id <= 100; id++) announce('stock', id)
  expect(statements).toBe(0)
  await read()
  await live.current()
  expect(statements).toBe(1)
  statements = 0
  caches.invalidate([{ kind: 'product', ids: null }])
  await read()
})

test('reads ahead once changes have ceased for half a second, or have gone on for five', async () => {
  live.start()
  await live.current()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const readAhead = vi.spyOn(tasks, 'run')
    announce('stock', 1)
    vi.advanceTimersByTime(400)
    announce('stock', 1)
    vi.advanceTimersByTime(499)
    expect(readAhead).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(readAhead).toHaveBeenCalledTimes(1)
    for (let ms = 0; ms < 5000; ms += 250) {
      announce('stock', 1)
      expect(readAhead).toHaveBeenCalledTimes(1)
      vi.advanceTimersByTime(250)
    }
    expect(readAhead).toHaveBeenCalledTimes(2)
    announce('stock', 1)
    // A busy event loop runs timers late; Node warns of a negative delay.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 6000)
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    announce('stock', 1)
    expect(setTimer).toHaveBeenCalledWith(expect.any(Function), 0)
  } finally {
    vi.restoreAllMocks()
    vi.useRealTimers()
  }
  await live.current()
})

test('changes the rank version when all products have been read again', async () => {
  const id = await createProduct(opened.db, { stock: 1 })
  await stocks()
  const before = await live.rankVersion()
  await setStock(id, 0)
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5 * 60_000)
  try {
    expect(await live.rankVersion()).toBe(before)
  } finally {
    now.mockRestore()
  }
  await expect.poll(() => live.rankVersion()).not.toBe(before)
})

test('needs few round trips to a distant database for a thousand products', async () => {
  await createManyProducts(opened.db, 1000, [await createCategory(opened.db)], [await createBrand(opened.db)])
  statements = 0
  expect((await live.current()).count(EVERY_ACTIVE)).toBe(1000)
  // Ids, products, stems.
  expect(statements).toBe(3)
})

test('gives way to requests while it indexes names of many words', async () => {
  await createManyProducts(opened.db, 200, [await createCategory(opened.db)], [await createBrand(opened.db)])
  await sql`
    update products
    set name = (select string_agg('word' || products.id || 'x' || number, ' ') from generate_series(1, 60) number)
  `.execute(opened.db)
  await live.current()
  caches.clear()
  let isLoading = true
  const load = live.current().finally(() => {
    isLoading = false
  })
  const turns: number[] = []
  while (isLoading) {
    const before = process.threadCpuUsage()
    await nextTurn()
    turns.push(process.threadCpuUsage(before).user)
  }
  await load
  const all = turns.reduce((sum, turn) => sum + turn)
  expect(Math.max(...turns)).toBeLessThan(all / 2)
})

test('refuses a request that waits too long for the index, and loads it all the same', async () => {
  const first = await createProduct(opened.db, { stock: 1 })
  const [hasRead, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  once(async () => {
    hasRead.resolve()
    await mayEnd.promise
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const refused = expect(stocks()).rejects.toMatchObject({ status: 503 })
  await hasRead.promise
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
  await refused
  const waiting = stocks()
  mayEnd.resolve()
  expect(await waiting).toEqual([first])
})
