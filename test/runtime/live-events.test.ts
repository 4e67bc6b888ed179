import { expect, test } from 'vitest'
import { type Batch, createBatches, createEventHub } from '../../src/runtime/live-events.ts'

const SUBSCRIBERS = 250

function subscriber(onMessage: (message: string) => void = () => {}) {
  return { userId: null, send: (message: Buffer) => onMessage(message.toString()), recheck: async () => {} }
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('a message to many yields to other work, and each gets all messages in order', async () => {
  const hub = createEventHub()
  const received: string[][] = []
  let turns = 0
  const turnsOfMessages = new Set<number>()
  for (let n = 0; n < SUBSCRIBERS; n++) {
    const mine: string[] = []
    received.push(mine)
    const one = subscriber((message) => {
      mine.push(message)
      turnsOfMessages.add(turns)
    })
    hub.add(one)
    hub.setTopics(one, new Set(['products']))
  }
  hub.publish('products', { n: 1 })
  hub.publish('products', { n: 2 })
  hub.publish('catalogue', { n: 3 })
  for (; turns < 20; turns++) await nextTurn()
  expect(new Set(received.map((messages) => messages.join()))).toEqual(new Set(['{"n":1},{"n":2}']))
  expect(turnsOfMessages.size).toBeGreaterThanOrEqual(4)
})

test('lists only topics with subscribers', () => {
  const hub = createEventHub()
  const one = subscriber()
  hub.add(one)
  hub.setTopics(one, new Set(['product:1', 'product:2']))
  hub.setTopics(one, new Set(['product:2']))
  expect([...hub.topics()]).toEqual(['product:2'])
  hub.remove(one)
  expect([[...hub.topics()], hub.size]).toEqual([[], 0])
})

test('resync reaches each subscriber of several topics once, and checks the tokens of all connections', async () => {
  const hub = createEventHub()
  const received: string[] = []
  let rechecked = 0
  for (const name of ['a', 'b']) {
    const one = {
      ...subscriber((message) => received.push(name + message)),
      async recheck() {
        rechecked += 1
      },
    }
    hub.add(one)
    hub.setTopics(one, new Set(name === 'a' ? ['orders', 'contacts'] : []))
  }
  hub.resync(['orders', 'contacts'])
  await nextTurn()
  expect(received).toEqual(['a{"type":"resync"}'])
  hub.resyncAll()
  await nextTurn()
  expect([received.length, rechecked]).toEqual([3, 2])
})

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

test('the first changes are a batch at once; those during a batch make up the next one, which waits for it', async () => {
  const { add, batches, next, finish } = collect()
  add([product(1), { kind: 'order', ids: new Set([7]) }])
  await next()
  add([product(3)])
  add([product(3, 4)])
  expect(batches).toHaveLength(1)
  finish()
  await next()
  const [first, second] = batches.map((batch) => Object.fromEntries(batch))
  expect(first).toEqual({ product: new Set([1]), order: new Set([7]) })
  expect(second).toEqual({ product: new Set([3, 4]) })
})

test('unknown ids mean any', async () => {
  const { add, batches, next, finish } = collect()
  add([product(1)])
  await next()
  add([
    { kind: 'product', ids: null },
    { kind: 'order', ids: new Set([7]) },
  ])
  add([product(2), { kind: 'order', ids: null }])
  finish()
  await next()
  expect(Object.fromEntries(batches[1] ?? [])).toEqual({ product: null, order: null })
})
