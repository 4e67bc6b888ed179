import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startSync } from '../../../src/services/supplier/sync.ts'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// Log lines of a run.
let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop()
})
beforeEach(() => world.startOver())
afterAll(() => world.close())

type Line = { level: number; msg: string; [field: string]: unknown }

async function linesOfRun(): Promise<Line[]> {
  const lines: Line[] = []
  const log = pino(new Writable({ write: (line, _, done) => done(void lines.push(JSON.parse(String(line)))) }))
  const { finished } = await startSync({ ...world.shop.deps, log }, 'MANUAL')
  await finished
  return lines
}
const ERROR = 50

test('logs the number of skipped records, whose reasons are in the record', async () => {
  world.supplier.lists.ListProducts = [wireProduct('good'), wireProduct('bad', { price: -1 })]
  expect(await linesOfRun()).toContainEqual(
    expect.objectContaining({ msg: 'sync finished', runId: expect.any(Number), seen: 2, skipped: 1 }),
  )
})

test('names the first skipped records with their reasons', async () => {
  world.supplier.lists.ListProducts = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => wireProduct(id, { price: 'x' }))
  const lines = await linesOfRun()
  const last = lines.filter(({ msg }) => msg.startsWith('sync')).at(-1)
  const reason = expect.stringMatching(/^price can't be/)
  const firstSkipped = ['a', 'b', 'c', 'd', 'e'].map((external_id) => ({ sync_type: 'PRODUCTS', external_id, reason }))
  expect(last).toMatchObject({ skipped: 6, firstSkipped })
})

test('logs a failed run as an error', async () => {
  world.supplier.intercept = ({ list }) => (list === 'ListProducts' ? { status: 403, body: 'no' } : undefined)
  const lines = await linesOfRun()
  const last = lines.filter(({ msg }) => msg.startsWith('sync')).at(-1)
  expect(last).toMatchObject({
    level: ERROR,
    error: expect.stringContaining('403'),
    seen: 0,
  })
})

test('logs warnings about missing products', async () => {
  world.supplier.lists.ListProducts = [wireProduct('a'), wireProduct('b')]
  await world.sync()
  world.supplier.lists.ListProducts.pop()
  await world.shop.deps.db.deleteFrom('sync_state').execute()
  expect(await linesOfRun()).toContainEqual(
    expect.objectContaining({ level: 40, msg: expect.stringContaining('none was made inactive') }),
  )
})

// The last one: it stops the shop's background work.
test('logs a run that a stop interrupts as a warning without a stack', async () => {
  const { tasks } = world.shop.deps
  world.supplier.intercept = ({ list }) => {
    if (list === 'ListProducts') void tasks.stop()
    return undefined
  }
  const lines = await linesOfRun()
  expect(lines.filter(({ level }) => level >= ERROR)).toEqual([])
  const last = lines.filter(({ msg }) => msg.startsWith('sync')).at(-1)
  expect(last).toMatchObject({ level: 40, error: 'Interrupted: The service is stopping' })
  expect(last).not.toHaveProperty('err')
})
