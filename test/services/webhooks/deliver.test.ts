import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Deps } from '../../../src/deps.ts'
import { ATTEMPT_TIMEOUT_MS } from '../../../src/rules/webhooks.ts'
import { purge } from '../../../src/services/operations/jobs.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { createTasksWithoutGrace } from '../../support/tasks.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { createWebhook, deliver, makeDue, recordEvents, switchDeliveries } from '../../support/webhooks.ts'

let shop: TestShop
let deps: Deps
let receiver: WebhookReceiver
let id: number

beforeAll(async () => {
  shop = await startTestShop({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
  deps = shop.deps
  await switchDeliveries(deps, 'off')
})
afterAll(() => shop.close())
beforeEach(async () => {
  receiver = await startReceiver()
  id = await createWebhook(deps, receiver.url)
})
afterEach(async () => {
  await deps.db.deleteFrom('webhooks').execute()
  await receiver.close()
})

const numbers = () => receiver.received.map(({ data }) => Object(data).number)
const webhook = () => deps.db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const deliveries = () =>
  deps.db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', id).orderBy('id').execute()
const statuses = async () => (await deliveries()).map(({ status }) => status)

/** Moves what is known of failures into the past. */
const letDaysPass = (days: number) =>
  sql`update webhooks set failing_since = failing_since - ${days}::float8 * interval '1 day'`.execute(deps.db)

/** Seconds until the next attempt, as it was set with the failure. */
async function secondsLeft(): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from next_attempt_at - failing_since)::float8 as seconds
    from webhook_deliveries join webhooks on webhooks.id = webhook_id
    where status = 'PENDING' order by webhook_deliveries.id limit 1`.execute(deps.db)
  return rows[0]?.seconds ?? Number.NaN
}

test('delivers in the order of the changes, once', async () => {
  await recordEvents(deps, 1, 2, 3)
  await deliver(deps)
  await deliver(deps)
  expect(numbers()).toEqual([1, 2, 3])
  expect(await statuses()).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED'])
  expect(new Set(receiver.received.map((message) => message.id)).size).toBe(3)
  expect(await webhook()).toMatchObject({ failing_since: null })
})

test('leases a delivery for longer than its attempt may take', async () => {
  const held = Promise.withResolvers<ServerResponse>()
  receiver.answer = held.resolve
  await recordEvents(deps, 1)
  const before = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(deps.db)
  const delivering = deliver(deps)
  const response = await held.promise
  const [delivery] = await deliveries()
  const leaseMs = Number(delivery?.next_attempt_at) - Number(before.rows[0]?.time)
  expect(leaseMs).toBeGreaterThan(2 * ATTEMPT_TIMEOUT_MS)
  response.end()
  await delivering
})

test('a failing delivery keeps those behind it waiting, and no other webhook', async () => {
  const other = await startReceiver()
  await createWebhook(deps, other.url)
  receiver.answer = (response) => response.writeHead(500).end('Broken')
  await recordEvents(deps, 1, 2)
  await deliver(deps)
  expect([numbers(), other.received.length]).toEqual([[1], 2])
  expect(await deliveries()).toMatchObject([
    { status: 'PENDING', attempts: 1, response_status: 500, response: 'Broken' },
    { status: 'PENDING', attempts: 0, response_status: null },
  ])
  expect((await webhook()).failing_since).not.toBeNull()

  receiver.answer = (response) => response.writeHead(200).end('ok')
  await deliver(deps)
  expect(numbers()).toEqual([1])
  await makeDue(deps)
  await deliver(deps)
  expect(numbers()).toEqual([1, 1, 2])
  const [first, repeated] = receiver.received
  expect([repeated?.id, repeated?.body]).toEqual([first?.id, first?.body])
  expect(await webhook()).toMatchObject({ failing_since: null })
  await other.close()
})

test('retries on schedule, then gives up and goes on', async () => {
  receiver.answer = (response, { data }) =>
    response.writeHead(Object(data).number === 1 ? 301 : 200, { location: receiver.url }).end()
  await recordEvents(deps, 1, 2)
  const delays: number[] = []
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await sql`update webhooks set failing_since = null`.execute(deps.db)
    await deliver(deps)
    delays.push(await secondsLeft())
    await makeDue(deps)
  }
  expect(delays).toEqual([5, 60, 300, 1800, 7200, 21_600, 43_200, 86_400])
  await deliver(deps)
  expect(numbers()).toEqual([...Array(9).fill(1), 2])
  expect(await deliveries()).toMatchObject([
    { status: 'FAILED', attempts: 9, last_error: 'The receiver answered 301', finished_at: expect.any(Date) },
    { status: 'DELIVERED', attempts: 1 },
  ])
})

test.each([
  ['429', '120', [120, 120, 300]],
  ['503', () => new Date(Date.now() + 120_000).toUTCString(), [120, 120, 300]],
  ['429', '0', [5, 60, 300]],
  ['429', '999999', [86_400, 86_400, 86_400]],
  ['429', 'soon', [5, 60, 300]],
])('a %s with Retry-After %s delays the next attempt, and no other webhook', async (status, asked, expected) => {
  const other = await startReceiver()
  await createWebhook(deps, other.url)
  receiver.answer = (response) => {
    const retryAfter = typeof asked === 'string' ? asked : asked()
    response.writeHead(Number(status), { 'retry-after': retryAfter }).end()
  }
  await recordEvents(deps, 1, 2)
  const delays: number[] = []
  for (const _ of expected) {
    await sql`update webhooks set failing_since = null`.execute(deps.db)
    await deliver(deps)
    delays.push(await secondsLeft())
    await deliver(deps)
    await makeDue(deps)
  }
  // Dates have whole seconds.
  for (const [index, seconds] of expected.entries()) expect(delays[index]).toBeCloseTo(seconds, -1)
  expect([numbers(), other.received.length]).toEqual([expected.map(() => 1), 2])
  await other.close()
})

test('switches a webhook off after five days of failures', async () => {
  receiver.answer = (response) => response.writeHead(503).end()
  await recordEvents(deps, 1)
  await deliver(deps)
  await letDaysPass(4.9)
  await makeDue(deps)
  await deliver(deps)
  expect(await webhook()).toMatchObject({ active: true, switched_off_at: null, version: 1 })
  await letDaysPass(0.2)
  await makeDue(deps)
  await deliver(deps)
  expect(await webhook()).toMatchObject({ active: false, switched_off_at: expect.any(Date), version: 2 })
  await makeDue(deps)
  await recordEvents(deps, 2)
  await deliver(deps)
  expect(numbers()).toEqual([1, 1, 1])
})

test('switches a webhook off whose receiver is gone for good', async () => {
  receiver.answer = (response) => response.writeHead(410).end()
  await recordEvents(deps, 1, 2)
  await deliver(deps)
  expect(await webhook()).toMatchObject({ active: false, switched_off_at: expect.any(Date) })
  expect([numbers(), await statuses()]).toEqual([[1], ['PENDING', 'PENDING']])
})

test.each([
  ['switched off', () => deps.db.updateTable('webhooks').set({ active: false }).execute()],
  ['deleted', () => deps.db.deleteFrom('webhooks').execute()],
])('stops after the current request when the webhook is %s meanwhile', async (_what, change) => {
  receiver.answer = async (response) => {
    await change()
    response.writeHead(500).end()
  }
  await recordEvents(deps, 1, 2)
  await deliver(deps)
  await makeDue(deps)
  await deliver(deps)
  expect(numbers()).toEqual([1])
})

test('a late failure changes nothing of the attempt that followed', async () => {
  const waiting: ServerResponse[] = []
  receiver.answer = (response) => void waiting.push(response)
  await recordEvents(deps, 1)
  const late = deliver(deps)
  await receiver.untilReceived(1)
  await makeDue(deps)
  const next = deliver(deps)
  await receiver.untilReceived(2)
  waiting[0]?.writeHead(500).end()
  await late
  expect(await deliveries()).toMatchObject([{ status: 'PENDING', attempts: 2, last_error: null }])
  waiting[1]?.writeHead(200).end()
  await next
  expect(await statuses()).toEqual(['DELIVERED'])
})

test('an attempt that a stop interrupts is repeated after its lease', async () => {
  const tasks = createTasksWithoutGrace()
  receiver.answer = () => {}
  await recordEvents(deps, 1)
  const delivered = deliver({ ...deps, tasks })
  await receiver.untilReceived(1)
  await tasks.stop()
  await delivered
  expect(await deliveries()).toMatchObject([{ status: 'PENDING', last_error: null }])
  expect(await webhook()).toMatchObject({ failing_since: null })
  receiver.answer = (response) => response.writeHead(200).end()
  await deliver(deps)
  expect(numbers()).toEqual([1])
  await makeDue(deps)
  await deliver(deps)
  expect(numbers()).toEqual([1, 1])
})

test('purges what was delivered 14 days ago, and what waits so long for a webhook that is off', async () => {
  await recordEvents(deps, 1, 2)
  await deliver(deps)
  await recordEvents(deps, 3)
  await sql`update webhook_deliveries set finished_at = finished_at - interval '15 days',
    created_at = created_at - interval '15 days' where body not like '%"number":2%'`.execute(deps.db)
  await sql`update webhook_deliveries set finished_at = finished_at - interval '13 days'`.execute(deps.db)
  await purge(deps)
  expect(await statuses()).toEqual(['DELIVERED', 'PENDING'])
  await sql`update webhook_deliveries set created_at = now() - interval '15 days'`.execute(deps.db)
  await purge(deps)
  expect(await statuses()).toEqual(['DELIVERED', 'PENDING'])
  await sql`update webhooks set active = false`.execute(deps.db)
  await purge(deps)
  expect(await statuses()).toEqual(['DELIVERED'])
})
