import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { converse, openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const BURST = 12
/** Longer than the server waits for new connections. */
const QUIET_MS = 80

let shop: TestShop
let asked = 0
const answer = Promise.withResolvers<string>()

beforeAll(async () => {
  shop = await startTestShop(
    {},
    {
      prepare(app) {
        app.get('/slow', { config: { access: 'public' } }, () => {
          asked += 1
          return answer.promise
        })
      },
    },
  )
})
afterAll(async () => {
  answer.resolve('')
  await shop.close()
})

// A shop shuts down once: the second test goes on where the first one ends.
test('a shutdown answers what is in progress, the last request of a connection with Connection: close', async () => {
  const slow = shop.call('GET', '/slow')
  const socket = await openSocket(shop.url)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  socket.write(request('/slow'))
  await expect.poll(() => asked).toBe(2)
  const drained = shop.app.connections.drain()
  socket.write(request('/health/live') + request('/health/live'))
  // Its answer shows that the server has read what was sent before.
  const ready = await shop.call('GET', '/health/ready')
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close'])
  answer.resolve('at last')
  const { text, headers } = await slow
  expect([text, headers.get('connection')]).toEqual(['at last', 'close'])
  await closed
  const heads = received.split('HTTP/1.1 ').slice(1)
  expect(heads.map((head) => /connection: close/i.test(head))).toEqual([false, false, true])
  await drained
})

test('connections that wait to be accepted when the server stops listening are served', async () => {
  const text = 'GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const answers: Promise<string>[] = []
  const closed = shop.app.close()
  while (shop.app.server.listening) {
    for (let turn = 0; turn < BURST; turn++) answers.push(converse(shop.url, text))
    // The next turn begins with the timers: the server believes that nobody came for a while.
    const until = performance.now() + QUIET_MS
    while (performance.now() < until);
    for (let turn = 0; turn < 4 * BURST; turn++) await nextTurn()
  }
  await closed
  const statuses = (await Promise.all(answers)).map((answer) => answer.split(' ')[1])
  expect(statuses).toEqual(answers.map(() => '200'))
})
