import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from './support/database.ts'
import { PROCESS_TIMEOUT_MS, startServing } from './support/serving-process.ts'

const STOPS = 3
const BURST = 12
const BETWEEN_BURSTS_MS = 30

let database: Awaited<ReturnType<typeof createTestDatabase>>

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Sends one request on a connection of its own. @returns its status, or the code of the error */
async function ask(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const failed = once(socket, 'error').then(([error]) => String(error.code))
  socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve('closed')))
  const end = await Promise.race([failed, closed])
  return /^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? end
}

test('stops under bursts of new connections without cutting a request', {
  timeout: 4 * PROCESS_TIMEOUT_MS,
}, async () => {
  const outcomes: Record<string, number> = {}
  for (let stop = 0; stop < STOPS; stop++) {
    const shop = await startServing(database.url)
    const asked: Promise<string>[] = []
    let listens = true
    const one = async () => {
      const outcome = await ask(shop.url)
      if (outcome === 'ECONNREFUSED') listens = false
      return outcome
    }
    shop.child.kill('SIGTERM')
    while (listens) {
      for (let turn = 0; turn < BURST; turn++) asked.push(one())
      await delay(BETWEEN_BURSTS_MS)
    }
    await shop.ended
    for (const outcome of await Promise.all(asked)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    await shop.remove()
  }
  expect(Object.keys(outcomes).sort()).toEqual(['200', 'ECONNREFUSED'])
})
