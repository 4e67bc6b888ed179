import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { CHANGES_CHANNEL } from '../../db/queries/events/changes.ts'
import { createUser } from '../support/accounts.ts'
import { openEvents, refusedHandshake } from '../support/events.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS }
const PING_INTERVAL_MS = 30_000
/** Of a message that fills buffers quickly. */
const PAYLOAD = 'x'.repeat(16 * 1024)
let shop: TestShop
const serverSockets: Socket[] = []

beforeAll(async () => {
  // Pings are the only work of the shop that is due at intervals.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  shop = await startTestShop()
  shop.app.server.on('connection', (socket: Socket) => serverSockets.push(socket))
})
afterAll(async () => {
  await shop.close()
  vi.useRealTimers()
})

/** A client that reads nothing, and the server's side of its connection. */
async function openSleeping(): Promise<{ socket: WebSocket; unsentBytes: () => number; received: string[] }> {
  const socket = new WebSocket(`${shop.url.replace('http', 'ws')}/ws/events`)
  await once(socket, 'open')
  const peer = serverSockets.at(-1)
  socket.send(JSON.stringify({ type: 'subscribe', topics: ['products'] }))
  await once(socket, 'message')
  socket.pause()
  const received: string[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data)).type))
  return { socket, received, unsentBytes: () => peer?.writableLength ?? 0 }
}

async function publishUntil(isEnough: () => boolean): Promise<void> {
  while (!isEnough()) {
    shop.deps.events.publish('products', { type: 'big', payload: PAYLOAD })
    await nextTurn()
  }
}

test('a client with 1 MB unsent is closed with 1013, and takes a fraction of that in memory', PATIENTLY, async () => {
  const { socket, unsentBytes } = await openSleeping()
  const closed = once(socket, 'close')
  await publishUntil(() => unsentBytes() > 128 * 1024)
  for (let sent = 0; sent < 1024 * 1024; sent += PAYLOAD.length) {
    shop.deps.events.publish('products', { type: 'big', payload: PAYLOAD })
  }
  await nextTurn()
  expect(unsentBytes()).toBeLessThan(192 * 1024)
  socket.resume()
  expect((await closed)[0]).toBe(1013)
})

test('a slow client that catches up gets a resync', PATIENTLY, async () => {
  const { socket, received, unsentBytes } = await openSleeping()
  await publishUntil(() => unsentBytes() > 128 * 1024)
  for (let n = 0; n < 3; n++) shop.deps.events.publish('products', { type: 'dropped', payload: PAYLOAD })
  await nextTurn()
  socket.resume()
  await expect.poll(() => received.at(-1), PATIENTLY).toBe('resync')
  expect(received).not.toContain('dropped')
  shop.deps.events.publish('products', { type: 'later' })
  await expect.poll(() => received.at(-1), PATIENTLY).toBe('later')
  socket.close()
})

test('a token that has expired because the clock was set forward closes the connection', PATIENTLY, async () => {
  let aheadMs = 0
  const now = vi.spyOn(shop.deps, 'now').mockImplementation(() => new Date(Date.now() + aheadMs))
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const client = await openEvents(shop.url)
  await client.subscribe(['products'], shop.app.signToken(await createUser(shop, 'USER')))
  const calls: unknown[][] = timers.mock.calls
  const [check, delayMs, expiry] = calls.find((call) => call[2] instanceof Date) ?? []
  timers.mockRestore()
  expect(delayMs).toBeLessThanOrEqual(PING_INTERVAL_MS)
  aheadMs = 25 * 3_600_000
  if (typeof check === 'function') check(expiry)
  expect(await client.closed).toBe(4401)
  now.mockRestore()
})

test('a client that answers no ping is closed after the second', PATIENTLY, async () => {
  const answering = await openEvents(shop.url)
  const silent = await openEvents(shop.url, { autoPong: false })
  let pings = 0
  silent.socket.on('ping', () => {
    pings += 1
  })
  for (let round = 1; round <= 3; round++) {
    const answered = round <= 2 ? once(answering.socket, 'ping') : undefined
    vi.advanceTimersByTime(PING_INTERVAL_MS)
    await answered
    // The answer to this arrives after that to the ping.
    if (answered) await answering.subscribe([])
  }
  expect(await silent.closed).toBe(1006)
  expect(pings).toBe(2)
  await answering.subscribe(['products'])
  answering.socket.close()
})

test('after the listener lost its connection, clients read anew and tokens are checked', PATIENTLY, async () => {
  const { db } = shop.deps
  const user = await createUser(shop, 'USER')
  const [client, deleted] = [await openEvents(shop.url), await openEvents(shop.url)]
  await deleted.subscribe(['products'], shop.app.signToken(user))
  // As another instance would, which this one can't hear of.
  await db.deleteFrom('users').where('id', '=', user.id).execute()
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query in ('select 1', ${`listen ${CHANGES_CHANNEL}`})`.execute(db)
  await client.next('resync')
  expect(await deleted.closed).toBe(4401)
  client.socket.close()
})

test('a stop cuts off a client that does not answer the close', PATIENTLY, async () => {
  const other = await startTestShop()
  const { socket } = await openEvents(other.url)
  socket.pause()
  await other.close()
  socket.terminate()
})

test('a shutdown closes connections with 1001 and admits no new ones', PATIENTLY, async () => {
  const clients = await Promise.all(Array.from({ length: 3 }, () => openEvents(shop.url)))
  const drained = shop.app.connections.drain()
  expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([1001, 1001, 1001])
  expect((await refusedHandshake(shop.url)).status).toBe(503)
  await drained
})
