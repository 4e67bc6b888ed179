import { expect, test } from 'vitest'
import { createEventHub } from '../../../src/runtime/events/hub.ts'

const SUBSCRIBERS = 250

function subscriber(onMessage: (message: string) => void = () => {}) {
  return { send: (message: Buffer) => onMessage(message.toString()), recheck: async () => {} }
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

test('topics without subscribers are forgotten', () => {
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
