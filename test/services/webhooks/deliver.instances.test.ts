import { fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { createWebhook, deliver, makeDue, recordEvents, switchDeliveries } from '../../support/webhooks.ts'

let shops: TestShop[]
let receivers: WebhookReceiver[]

const first = () => {
  const [shop] = shops
  if (shop === undefined) throw new Error('no shop')
  return shop.deps
}

beforeAll(async () => {
  const variables = { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  shops = [await startTestShop(variables)]
  await switchDeliveries(first(), 'off')
  const { databaseUrl } = first().config
  for (let more = 0; more < 2; more += 1) shops.push(await startTestShop(variables, { databaseUrl }))
})
afterAll(async () => {
  for (const { close } of shops.toReversed()) await close()
})
beforeEach(async () => {
  receivers = [await startReceiver(), await startReceiver()]
  for (const { url } of receivers) await createWebhook(first(), url)
})
afterEach(async () => {
  await first().db.deleteFrom('webhooks').execute()
  for (const { close } of receivers) await close()
})

const numberOf = ({ data }: { data: unknown }): number => Object(data).number
const statuses = () => first().db.selectFrom('webhook_deliveries').select(['status', 'attempts']).execute()

test('three instances deliver each message in order, one request at a time to a webhook', async () => {
  const EVENTS = 20
  const running = new Map(receivers.map((receiver) => [receiver, 0]))
  let overlaps = 0
  for (const receiver of receivers) {
    let requests = 0
    receiver.answer = (response) => {
      const open = (running.get(receiver) ?? 0) + 1
      if (open > 1) overlaps += 1
      running.set(receiver, open)
      requests += 1
      const status = requests % 7 === 0 ? 500 : 200
      setImmediate(() => {
        running.set(receiver, open - 1)
        response.writeHead(status).end()
      })
    }
  }
  const written = recordEvents(first(), ...Array.from({ length: EVENTS }, (_, index) => index))
  const delivering = async () => {
    while ((await statuses()).filter(({ status }) => status === 'DELIVERED').length < 2 * EVENTS) {
      await Promise.all(shops.map((shop) => deliver(shop.deps)))
      await makeDue(first())
    }
  }
  await Promise.all([written, delivering()])
  expect(overlaps).toBe(0)
  for (const { received } of receivers) {
    // Failed ones come again, before those behind them and with the same id.
    const repeated = received.filter((message, index) => message.id === received[index - 1]?.id)
    expect(repeated.length).toBeGreaterThan(0)
    expect(received.length).toBe(EVENTS + repeated.length)
    const once = received.filter((message) => !repeated.includes(message))
    expect(once.map(numberOf)).toEqual(Array.from({ length: EVENTS }, (_, index) => index))
    expect(new Set(once.map(({ id }) => id)).size).toBe(EVENTS)
  }
})

test('repeats with the same id what a killed process sent but did not record', async () => {
  const [receiver] = receivers
  if (receiver === undefined) throw new Error('no receiver')
  await recordEvents(first(), 1, 2, 3)
  const { databaseUrl, dataDir } = first().config
  receiver.answer = (response, message) => {
    // The second request is received and not answered: its sender is killed before it can record anything.
    if (numberOf(message) === 1) response.writeHead(200).end()
    else child.kill('SIGKILL')
  }
  const child = fork(new URL('../../support/webhook-process.ts', import.meta.url), {
    env: {
      ...process.env,
      TEST_DATABASE_URL: databaseUrl,
      TEST_SUPPLIER_URL: 'http://127.0.0.1:9',
      TEST_DATA_DIR: dataDir,
    },
  })
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
  receiver.answer = (response) => response.writeHead(200).end()

  // It is still claimed.
  await deliver(first())
  expect(receiver.received.map(numberOf)).toEqual([1, 2])
  await makeDue(first())
  await deliver(first())
  expect(receiver.received.map(numberOf)).toEqual([1, 2, 2, 3])
  const [, lost, repeated] = receiver.received
  expect([repeated?.id, repeated?.body]).toEqual([lost?.id, lost?.body])
  expect(await statuses()).toEqual(
    expect.arrayContaining([
      { status: 'DELIVERED', attempts: 1 },
      { status: 'DELIVERED', attempts: 2 },
    ]),
  )
})

test.each([200, 500])('a process whose claim expired while it waited for a %i spoils nothing', async (status) => {
  const [receiver] = receivers
  const [, other] = shops
  if (receiver === undefined || other === undefined) throw new Error('no receiver')
  await recordEvents(first(), 1, 2)
  const late = Promise.withResolvers<void>()
  receiver.answer = async (response) => {
    receiver.answer = (next) => next.writeHead(200).end()
    await late.promise
    response.writeHead(status).end()
  }
  const stuck = deliver(first())
  await receiver.untilReceived(1)
  await makeDue(first())
  await deliver(other.deps)
  late.resolve()
  await stuck
  expect(receiver.received.map(numberOf)).toEqual([1, 1, 2])
  expect(new Set((await statuses()).map((row) => row.status))).toEqual(new Set(['DELIVERED']))
  const webhooks = await first().db.selectFrom('webhooks').select('failing_since').execute()
  expect(webhooks).toEqual([{ failing_since: null }, { failing_since: null }])
})
