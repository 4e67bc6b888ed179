import { expect, test } from 'vitest'
import { type Batch, createBatches } from '../../../src/runtime/events/batches.ts'

const product = (...ids: number[]) => ({ kind: 'product' as const, ids: new Set(ids) })

/** Batches that are handled when the test says so. */
function collect() {
  const batches: Batch[] = []
  let arrived = Promise.withResolvers<void>()
  let release = Promise.withResolvers<void>()
  const add = createBatches(0, async (batch) => {
    batches.push(batch)
    arrived.resolve()
    await release.promise
  })
  return {
    add,
    batches,
    async next() {
      await arrived.promise
      arrived = Promise.withResolvers()
    },
    finish() {
      release.resolve()
      release = Promise.withResolvers()
    },
  }
}

test('changes during a batch make up the next one, which waits for it', async () => {
  const { add, batches, next, finish } = collect()
  add([product(1), { kind: 'order', ids: new Set([7]) }])
  add([product(2)])
  await next()
  add([product(3)])
  add([product(3, 4)])
  expect(batches).toHaveLength(1)
  finish()
  await next()
  const [first, second] = batches.map((batch) => Object.fromEntries(batch))
  expect(first).toEqual({ product: new Set([1, 2]), order: new Set([7]) })
  expect(second).toEqual({ product: new Set([3, 4]) })
})

test('unknown ids and too many ids mean any', async () => {
  const { add, batches, next } = collect()
  add([product(1), { kind: 'order', ids: null }])
  add([product(...Array.from({ length: 5000 }, (_, n) => n + 2)), { kind: 'order', ids: new Set([7]) }])
  await next()
  expect(Object.fromEntries(batches[0] ?? [])).toEqual({ product: null, order: null })
})
