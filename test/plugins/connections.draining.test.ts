import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let asked: number
let answer: PromiseWithResolvers<string>

beforeEach(async () => {
  asked = 0
  answer = Promise.withResolvers()
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
afterEach(async () => {
  answer.resolve('')
  await shop.close()
})

test('a request that a shutdown finds in progress is answered with Connection: close', async () => {
  const slow = shop.call('GET', '/slow')
  await expect.poll(() => asked).toBe(1)
  const drained = shop.app.connections.drain()
  answer.resolve('at last')
  const { text, headers } = await slow
  expect([text, headers.get('connection')]).toEqual(['at last', 'close'])
  await drained
})

test('of pipelined requests in a shutdown the last answer closes the connection', async () => {
  const socket = await openSocket(shop.url)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
  socket.write(request('/slow'))
  await expect.poll(() => asked).toBe(1)
  const drained = shop.app.connections.drain()
  socket.write(request('/health/live') + request('/health/live'))
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(100)
  // Its answer shows that the server has read what was sent before.
  await shop.call('GET', '/health/live')
  answer.resolve('at last')
  await closed
  const heads = received.split('HTTP/1.1 ').slice(1)
  expect(heads.map((head) => /connection: close/i.test(head))).toEqual([false, false, true])
  await drained
})
