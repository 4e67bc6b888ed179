import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { createTestDatabase } from '../support/database.ts'
import { createProduct } from '../support/factories.ts'
import { openSocket } from '../support/raw-http.ts'
import { residentBytes, type ServingProcess, startServing } from '../support/serving-process.ts'
import { startTestShop } from '../support/shop.ts'

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>
let shop: ServingProcess

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const { db, close } = openDatabase(testDatabase.url, () => {})
  for (let turn = 0; turn < 20; turn++) {
    await createProduct(db, { description: 'x'.repeat(2000) })
  }
  await close()
  shop = await startServing(testDatabase.url)
})
afterAll(async () => {
  await shop.remove()
  await testDatabase.drop()
})

const request = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: shop.example\r\nX-Padding: ${'x'.repeat(150)}\r\n\r\n`

/** Sends requests at once and returns the statuses of their responses. */
async function pipeline(count: number): Promise<string[]> {
  const socket = await openSocket(shop.url)
  let received = ''
  socket.on('error', () => {})
  const all = Promise.withResolvers<void>()
  socket.on('data', (chunk) => {
    received += chunk
    if (received.split('HTTP/1.1 ').length > count && received.endsWith('}')) all.resolve()
  })
  socket.on('close', () => all.resolve())
  socket.write(request('/api/v1/products?size=20').repeat(count))
  await all.promise
  socket.destroy()
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '')
}

test('serves a client that pipelines requests', async () => {
  expect(await pipeline(50)).toEqual(Array(50).fill('200'))
  expect(await pipeline(200)).toEqual(Array(200).fill('200'))
})

test.skipIf(process.platform !== 'linux')(
  'a client that sends without reading uses little memory',
  async () => {
    await pipeline(200)
    const before = await residentBytes(shop.child)
    const socket = await openSocket(shop.url)
    socket.pause()
    socket.on('error', () => {})
    // Distinct queries, so that no response is cached.
    for (let turn = 0; turn < 12_000; turn++) {
      socket.write(request(`/api/v1/products?size=20&minPrice=${(turn + 1) / 100_000}`))
    }
    let max = 0
    for (let turn = 0; turn < 50; turn++) {
      max = Math.max(max, await residentBytes(shop.child))
      await delay(100)
    }
    expect((max - before) / 2 ** 20).toBeLessThan(100)
    expect(await pipeline(50)).toHaveLength(50)
    socket.destroy()
  },
)

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
    await expect.poll(() => asked).toBe(2)
    const count = promisify(other.app.server.getConnections.bind(other.app.server))
    await expect.poll(() => count()).toBe(1)
    answer.resolve('at last')
    expect((await slow).text).toBe('at last')
  } finally {
    answer.resolve('')
    await other.close()
  }
})

test('bounds the bytes of unread responses of a connection, and of all', async () => {
  let asked = 0
  const other = await startTestShop(
    {},
    {
      prepare(app) {
        const config = { access: 'public' } as const
        app.get('/megabyte', { config }, async () => {
          asked += 1
          return 'x'.repeat(2 ** 20)
        })
        app.get('/large', { config }, async () => {
          asked += 1
          return 'x'.repeat(60 * 2 ** 20)
        })
      },
    },
  )
  const open = async (text: string) => {
    const socket = await openSocket(other.url)
    socket.pause().on('error', () => {})
    socket.write(text)
    return { socket, closed: new Promise((resolve) => socket.on('close', resolve)) }
  }
  try {
    const greedy = await open(request('/megabyte').repeat(100))
    await expect.poll(() => asked).toBeGreaterThan(0)
    const behind = await other.call('GET', '/health/live')
    // The kernel takes some.
    expect([behind.status, asked < 10]).toEqual([200, true])
    greedy.socket.resume()
    await expect.poll(() => asked).toBe(100)
    greedy.socket.destroy()

    await greedy.closed
    asked = 0
    const count = promisify(other.app.server.getConnections.bind(other.app.server))
    const before = await count()
    const unread = [
      await open(request('/large')),
      await open(request('/large')),
      await open(request('/large')),
    ]
    await expect.poll(() => asked).toBe(3)
    await expect.poll(() => count()).toBe(before + 2)
    for (const { socket } of unread) socket.destroy()
  } finally {
    await other.close()
  }
})
