import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const MAX_UNANSWERED = 16

let shop: TestShop
let asked = 0
const warnings: string[] = []
const answer = Promise.withResolvers<string>()

beforeAll(async () => {
  shop = await startTestShop(
    { LOG_LEVEL: 'warn' },
    {
      logTo: { write: (line) => void warnings.push(line) },
      prepare(app) {
        app.get('/held', { config: { access: 'public' } }, () => {
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

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: shop.example\r\n\r\n`

test('serves a client that pipelines requests', async () => {
  const socket = await openSocket(shop.url)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(request('/api/v1/products?size=20').repeat(MAX_UNANSWERED))
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  await expect.poll(statuses).toEqual(Array(MAX_UNANSWERED).fill('200'))
  socket.destroy()
})

test('handles one request of a connection at a time, and closes one with too many unanswered', async () => {
  const socket = await openSocket(shop.url, '127.0.0.2')
  socket.on('error', () => {})
  socket.write(request('/held').repeat(MAX_UNANSWERED))
  await expect.poll(() => shop.app.connections.inFlight).toBe(MAX_UNANSWERED)
  expect(asked).toBe(1)
  socket.resume().write(request('/held').repeat(100))
  await new Promise((resolve) => socket.on('close', resolve))
  await expect.poll(() => shop.app.connections.inFlight).toBe(0)
  expect(asked).toBe(1)
  expect(warnings.filter((line) => line.includes('responses are not read'))).toHaveLength(1)

  // Its address can't connect again for a while, others can.
  const again = await openSocket(shop.url, '127.0.0.2')
  again.on('error', () => {})
  again.resume().write(request('/api/v1/products'))
  await new Promise((resolve) => again.on('close', resolve))
  expect(again.bytesRead).toBe(0)
  expect((await shop.call('GET', '/api/v1/products')).status).toBe(200)
})

test('a handshake behind other requests is refused, and its connection ends with the client', async () => {
  const socket = await openSocket(shop.url)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const handshake = [
    'GET /ws/events HTTP/1.1',
    'Host: shop.example',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ]
  socket.write(`${request('/api/v1/products')}${handshake.join('\r\n')}\r\n\r\n`)
  await expect.poll(() => received).toContain('UPGRADE_REQUIRED')
  socket.destroy()
})

test('closes a connection with an unread response, but not one that waits for a slow handler', async () => {
  const answer = Promise.withResolvers<string>()
  let asked = 0
  const other = await startTestShop(
    {},
    {
      prepare(app) {
        app.server.setTimeout(200)
        app.get('/slow', { config: { access: 'public' } }, () => {
          asked += 1
          return answer.promise
        })
        app.get('/large', { config: { access: 'public' } }, async () => {
          asked += 1
          return 'x'.repeat(50_000_000)
        })
      },
    },
  )
  try {
    const slow = other.call('GET', '/slow')
    const unread = await openSocket(other.url)
    unread.pause().on('error', () => {})
    unread.write(request('/large'))
    const count = promisify(other.app.server.getConnections.bind(other.app.server))
    await expect.poll(async () => [asked, await count()]).toEqual([2, 1])
    answer.resolve('at last')
    expect((await slow).text).toBe('at last')
  } finally {
    answer.resolve('')
    await other.close()
  }
})

test('bounds the bytes of unread responses of a connection, and of all', async () => {
  let asked = 0
  const large: Socket[] = []
  const other = await startTestShop(
    {},
    {
      prepare(app) {
        const config = { access: 'public' } as const
        app.get('/megabyte', { config }, async () => {
          asked += 1
          return 'x'.repeat(2 ** 20)
        })
        app.get('/large', { config }, async ({ raw }) => {
          asked += 1
          large.push(raw.socket)
          return 'x'.repeat(60 * 2 ** 20)
        })
      },
    },
  )
  const open = async (text: string) => {
    const socket = await openSocket(other.url)
    socket.pause().on('error', () => {})
    socket.write(text)
    return socket
  }
  try {
    const greedy = await open(request('/megabyte').repeat(MAX_UNANSWERED))
    await expect.poll(() => asked).toBeGreaterThan(0)
    const behind = await other.call('GET', '/health/live')
    // The kernel takes some.
    expect([behind.status, asked < 10]).toEqual([200, true])
    greedy.resume()
    await expect.poll(() => asked).toBe(MAX_UNANSWERED)
    greedy.destroy()

    const unread = [await open(request('/large')), await open(request('/large')), await open(request('/large'))]
    await expect.poll(() => large.map(({ destroyed }) => destroyed).toSorted()).toEqual([false, false, true])
    for (const socket of unread) socket.destroy()
  } finally {
    await other.close()
  }
})

test('bounds the bytes of all unfinished requests, cutting off the oldest', async () => {
  const arriving: Socket[] = []
  const other = await startTestShop(
    {},
    {
      prepare(app) {
        app.server.requestTimeout = 0
        const options = { config: { access: 'public' }, bodyLimit: 100 * 2 ** 20 } as const
        app.post('/large', { ...options, onRequest: async ({ raw }) => void arriving.push(raw.socket) }, async () => '')
      },
    },
  )
  const head = 'POST /large HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 90000000\r\n\r\n'
  const sockets: Socket[] = []
  const open = async (body: string) => {
    const socket = await openSocket(other.url)
    sockets.push(socket.on('error', () => {}))
    socket.write(head + body)
    await expect.poll(() => arriving.length).toBe(sockets.length)
  }
  try {
    // Each arrives as a whole, with its head.
    for (let small = 0; small < 40; small++) await open('x'.repeat(32 * 1024))
    for (let large = 0; large < 2; large++) await open('x'.repeat(63 * 2 ** 20))
    await expect.poll(() => arriving.slice(0, 3).map(({ destroyed }) => destroyed)).toContain(true)
    expect(arriving.slice(-2).map(({ destroyed }) => destroyed)).toEqual([false, false])
  } finally {
    for (const socket of sockets) socket.destroy()
    await other.close()
  }
})

test('bounds the bytes of requests that wait on all connections, cutting off the oldest', async () => {
  const answer = Promise.withResolvers<string>()
  const accepted: Socket[] = []
  const other = await startTestShop(
    {},
    {
      prepare(app) {
        app.server.on('connection', (socket: Socket) => void accepted.push(socket))
        app.get('/held', { config: { access: 'public' } }, () => answer.promise)
      },
    },
  )
  const padding = `X-Padding: ${'x'.repeat(15 * 1024)}`
  const large = `GET /held HTTP/1.1\r\nHost: a\r\n${padding}\r\n\r\n`.repeat(MAX_UNANSWERED)
  const sockets: Socket[] = []
  try {
    for (let connection = 0; connection < 700; connection++) {
      const socket = await openSocket(other.url)
      sockets.push(socket.on('error', () => {}))
      socket.write(large)
    }
    await expect.poll(() => accepted.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(50)
    expect(accepted.at(-1)?.destroyed).toBe(false)
  } finally {
    answer.resolve('')
    for (const socket of sockets) socket.destroy()
    await other.close()
  }
})

test('closes a connection whose request is never answered, unless it waits for a run', async () => {
  const answer = Promise.withResolvers<string>()
  const other = await startTestShop(
    {},
    {
      prepare(app) {
        app.server.requestTimeout = 200
        app.get('/never', { config: { access: 'public' } }, () => answer.promise)
        app.get('/run', { config: { access: 'public', mayWait: true } }, () => answer.promise)
      },
    },
  )
  try {
    const run = other.call('GET', '/run')
    await expect(other.call('GET', '/never')).rejects.toThrow()
    answer.resolve('done')
    expect((await run).text).toBe('done')
  } finally {
    answer.resolve('')
    await other.close()
  }
})
