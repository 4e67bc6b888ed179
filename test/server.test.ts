import { once } from 'node:events'
import { Agent, get } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createTestDatabase } from './support/database.ts'
import { openSocket } from './support/raw-http.ts'
import { killGroup, PROCESS_TIMEOUT_MS, type ServingProcess, startServing } from './support/serving-process.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
const started: ServingProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(started.map((shop) => shop.remove()))
  await database.drop()
})

async function start(command: string[]): Promise<ServingProcess> {
  // Clients that call in a loop exceed the limits on a fast machine.
  const environment = { RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_COSTLY_PER_SECOND: '0' }
  const shop = await startServing(database.url, { command, environment })
  started.push(shop)
  return shop
}

/** Resolves with the status when the response has ended; of a failed response, with its status and body. */
function ask(shop: ServingProcess, path: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(shop.url + path, { agent }, async (response) => {
      const body = await text(response).catch(reject)
      resolve(response.statusCode === 200 ? '200' : `${response.statusCode} ${body}`)
    })
    request.on('error', reject)
  })
}

const codeOf = (error: unknown) => String(Reflect.get(Object(error), 'code') ?? error)

/** Connections that a shutdown must not wait for. */
async function openIdleConnections(shop: ServingProcess): Promise<Socket[]> {
  const requests = {
    silent: '',
    'with half of its headers': 'GET /api/v1/products HTTP/1.1\r\nHos',
    'with half of a body':
      'POST /api/v1/cart/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n[{',
    'idle after a response': 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n',
    unread: 'GET /v3/api-docs HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(16),
  }
  return Promise.all(
    Object.entries(requests).map(async ([name, request]) => {
      const socket = await openSocket(shop.url)
      socket.on('error', () => {})
      if (name !== 'unread') socket.resume()
      if (request) socket.write(request)
      return socket
    }),
  )
}

// Each of these waits for a process of its own.
describe.concurrent('a process', () => {
  test('a shutdown fails no request of clients that call in a loop, and waits for no idle connection', async ({
    expect,
  }) => {
    const shop = await start([process.execPath, 'test/support/patient-server-process.ts'])
    const { promise: warm, resolve: isWarm } = Promise.withResolvers<void>()
    const paths = ['/api/v1/products?size=5', '/api/v1/categories/tree', '/health/live', '/api/v1/brands']
    const failures: string[] = []
    let succeeded = 0
    let isStopping = false

    async function client(turn: number): Promise<void> {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let index = turn; ; index++) {
        const answer = await ask(shop, paths[index % paths.length] ?? '/', agent).catch(codeOf)
        if (answer === 'ECONNREFUSED') break
        if (answer === '200') {
          succeeded++
          if (succeeded === 200) isWarm()
        }
        // Before the shutdown, the database of a busy machine may be slow to accept connections.
        else if (isStopping || !answer.startsWith('503')) failures.push(answer)
      }
      agent.destroy()
    }

    const idle = await openIdleConnections(shop)
    const clients = Array.from({ length: 16 }, (_, turn) => client(turn))
    // These answers show that what the others have sent has arrived.
    await warm
    isStopping = true
    shop.child.kill('SIGTERM')
    expect(await shop.ended).toBe(0)
    await Promise.all(clients)
    expect(failures).toEqual([])
    for (const socket of idle) socket.destroy()
  })

  test('npm start stops with npm and leaves no process running', async ({ expect }) => {
    const shop = await start(['npm', 'start'])
    shop.child.kill('SIGTERM')
    await shop.ended
    await expect
      .poll(() => ask(shop, '/health/live', new Agent()).catch(codeOf), { timeout: PROCESS_TIMEOUT_MS })
      .toBe('ECONNREFUSED')
    await expect.poll(shop.output, { timeout: PROCESS_TIMEOUT_MS }).toContain('"msg":"stopped"')
  })

  test('Ctrl-C under npm run dev shuts down cleanly', async ({ expect }) => {
    const shop = await start(['npm', 'run', 'dev'])
    const socket = await openSocket(shop.url)
    killGroup(shop.child, 'SIGINT')
    await once(socket, 'close')
    await shop.ended
    await expect.poll(shop.output, { timeout: PROCESS_TIMEOUT_MS }).toContain('"msg":"stopped"')
    expect(shop.output()).not.toMatch(/second|"level":(40|50|60)/)
  })
})
