import { createServer } from 'node:http'
import type { LookupFunction } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWebhookSender, type WebhookOptions, type WebhookSender } from '../../src/clients/webhooks.ts'
import { newWebhookSecret } from '../../src/runtime/secrets.ts'
import { listen } from '../support/loopback.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let receiver: WebhookReceiver
let sender: WebhookSender

const SECRETS = [newWebhookSecret(), newWebhookSecret()]
const never = new AbortController().signal

beforeEach(async () => {
  receiver = await startReceiver()
  sender = createWebhookSender(['127.0.0.1'])
})
afterEach(async () => {
  sender.close()
  await receiver.close()
})

function open(allowed: string[], options: WebhookOptions): void {
  sender.close()
  sender = createWebhookSender(allowed, options)
}

const send = (url = receiver.url, signal = never) =>
  sender.send({ url, id: 'msg_1', body: '{"type":"webhook.test","data":"ё"}', secrets: SECRETS }, signal)

test('signs for each secret, as the package standardwebhooks verifies', async () => {
  expect(await send()).toEqual({ status: 204, response: '', error: null })
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received
  for (const secret of SECRETS) expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: 'ё' })
  expect(() => new Webhook(SECRETS[0] ?? '').verify(body.replace('ё', 'е'), headers)).toThrow()
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow()
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'msg_1' })
})

test('an abort after an answer has no effect, even if the request was not read to its end', async () => {
  const hasty = createServer((_request, response) => void response.end('ok'))
  const url = `http://127.0.0.1:${await listen(hasty)}/`
  const stopping = new AbortController()
  const body = JSON.stringify('x'.repeat(5_000_000))
  expect(await sender.send({ url, id: 'msg_1', body, secrets: SECRETS }, stopping.signal)).toMatchObject({
    status: 200,
  })
  stopping.abort()
  hasty.close()
})

test('does not follow redirects', async () => {
  receiver.answer = (response) => response.writeHead(301, { location: receiver.url }).end('Moved')
  expect(await send()).toEqual({ status: 301, response: 'Moved', error: null })
  expect(receiver.received).toHaveLength(1)
})

test.each([
  ['seconds', '120'],
  ['a date', 'Sat, 28 Nov 2026 10:02:00 GMT'],
])('tells how long a receiver asks to wait, in %s', async (_, asked) => {
  receiver.answer = (response) =>
    response.writeHead(429, { 'retry-after': asked, date: 'Sat, 28 Nov 2026 10:00:00 GMT' }).end()
  expect(await send()).toEqual({ status: 429, response: '', error: null, retryAfterMs: 120_000 })
})

test('keeps the first 1000 characters of an answer, without those that cannot be stored', async () => {
  receiver.answer = (response) => response.writeHead(500).end(`\0${'я'.repeat(999)}😀`)
  const { status, response } = await send()
  expect([status, response]).toEqual([500, 'я'.repeat(999)])
})

test('reads a few kilobytes of an endless answer, and closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  receiver.answer = (response) => {
    response.on('close', closed.resolve)
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const more = () => {
      while (!response.destroyed && response.write(chunk)) {}
    }
    response.on('drain', more)
    more()
  }
  expect(await send()).toEqual({ status: 200, response: 'x'.repeat(1000), error: null })
  await closed.promise
})

test.each([
  ['no answer', () => {}],
  [
    'an answer that trickles',
    (response: import('node:http').ServerResponse) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    },
  ],
])('gives up on %s after the timeout', async (_what, answer) => {
  open(['127.0.0.1'], { timeoutMs: 300 })
  receiver.answer = answer
  expect(await send()).toEqual({ status: null, response: null, error: 'No answer within 0.3 s' })
})

test('says why it could not connect', async () => {
  const { url } = receiver
  await receiver.close()
  expect(await send(url)).toMatchObject({ status: null, error: expect.stringContaining('ECONNREFUSED') })
  receiver = await startReceiver()
})

test('throws only when it is stopped', async () => {
  const stop = new AbortController()
  receiver.answer = () => stop.abort(new Error('stopping'))
  await expect(send(receiver.url, stop.signal)).rejects.toThrow('stopping')
})

const resolveTo =
  (...addresses: string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
const REFUSED = { status: null, response: null, error: expect.stringMatching(/private|not a web server's/) }

test.each([
  'http://127.0.0.1:8080/',
  'http://localhost/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fd00::1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0x7f000001/',
  'http://10.1.2.3/',
  'https://shop.example:22/',
])('refuses %s before it looks anything up', async (url) => {
  open([], { lookup: resolveTo('93.184.216.34') })
  expect(sender.refusalOf(new URL(url))?.code).toMatch(/^(PRIVATE_ADDRESS|NOT_WEB_PORT)$/)
  expect(await send(url)).toEqual(REFUSED)
})

test.each([['127.0.0.1'], ['::1'], ['93.184.216.34', '192.168.0.1']])(
  'refuses a name that resolves to %s',
  async (...addresses) => {
    open([], { lookup: resolveTo(...addresses) })
    const url = `http://hooks.example:${receiver.port}/`
    expect(sender.refusalOf(new URL(url))).toBeNull()
    expect(await send(url)).toEqual(REFUSED)
    expect(receiver.received).toEqual([])
  },
)

test('reaches a private address that is allowed with its port, and no other port of it', async () => {
  open([`hooks.example:${receiver.port}`], { lookup: resolveTo('127.0.0.1') })
  expect(await send(`http://hooks.example:${receiver.port}/`)).toMatchObject({ status: 204 })
  expect(await send('http://hooks.example:8099/')).toEqual(REFUSED)
})
