import { afterEach, expect, test } from 'vitest'
import { accept, closeServers, createClient, startServer } from '../../support/supplier-server.ts'

const never = new AbortController().signal

afterEach(closeServers)

const order = {
  reference: '17',
  customer: { name: 'Анна', phone: '+7 900 000-00-00', email: null },
  delivery: { method: 'courier', address: 'Тверь, Мира 1', cost: '300.10' },
  comment: null,
  items: [
    { productExternalId: 'p1', quantity: 2, price: '0.07' },
    { productExternalId: 'p1', quantity: 1, price: '9999999999.99' },
  ],
}

test('sends CreateOrder as documented, with decimals as numbers and credentials in headers only', async () => {
  const { client, seen } = await startServer(accept)
  const body = client.orderBody(order)
  expect(await client.createOrder(body, never)).toEqual({
    outcome: 'ACCEPTED',
    externalId: 'Z1',
    answer: { status: 200, body: '{"id":"Z1"}' },
  })
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ method: 'POST', path: '/api/CreateOrder' })
  expect(seen[0]?.headers).toMatchObject({
    token: 'the-token',
    authorization: `Basic ${Buffer.from('the-user:the-password').toString('base64')}`,
    'content-type': 'application/json',
  })
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    reference: '17',
    customer: { name: 'Анна', phone: '+7 900 000-00-00', email: null },
    delivery: { method: 'courier', address: 'Тверь, Мира 1', cost: 300.1 },
    comment: null,
    items: [
      { productId: 'p1', quantity: 2, price: 0.07 },
      { productId: 'p1', quantity: 1, price: 9999999999.99 },
    ],
  })
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(body)
})

test.each([
  [200, '{"id":"Z1"}', 'ACCEPTED'],
  [201, '{"id":"Z1","more":true}', 'ACCEPTED'],
  [200, '{"id":5}', 'UNCLEAR'],
  [200, '{"id":""}', 'UNCLEAR'],
  [200, '{"id":"a\\u0000b"}', 'UNCLEAR'],
  [200, '{}', 'UNCLEAR'],
  [200, 'null', 'UNCLEAR'],
  [200, '<html>', 'UNCLEAR'],
  [200, '', 'UNCLEAR'],
  [302, '', 'UNCLEAR'],
  [400, '{"error":"unknown product"}', 'REFUSED'],
  [401, '', 'REFUSED'],
  [408, '', 'UNCLEAR'],
  [429, '', 'REFUSED'],
  [500, '{"error":"oops"}', 'UNCLEAR'],
  [503, '', 'UNCLEAR'],
])('treats an answer %i %s as %s and does not retry', async (status, body, outcome) => {
  const { client, seen } = await startServer((_request, response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere', 'retry-after': '1' }).end(body)
  })
  const result = await client.createOrder(client.orderBody(order), never)
  expect(result).toMatchObject({ outcome, answer: { status, body: body.slice(0, 2000) } })
  if (result.outcome !== 'ACCEPTED') expect(result.reason).not.toBe('')
  if (status >= 400 && result.outcome !== 'ACCEPTED') expect(result.reason).toContain(String(status))
  expect(seen).toHaveLength(1)
})

test('takes an id only from bytes that it can decode', async () => {
  // «З1» in windows-1251.
  const id = Buffer.from([0xc7, 0x31])
  const answer = (type: string, before: string) => {
    const body = Buffer.concat([Buffer.from(before), id, Buffer.from('"}')])
    return startServer((_request, response) => void response.writeHead(200, { 'content-type': type }).end(body))
  }
  const declared = await answer('application/json; charset=windows-1251', '{"id":"')
  expect(await declared.client.createOrder({}, never)).toMatchObject({ outcome: 'ACCEPTED', externalId: 'З1' })
  const undeclared = await answer('application/json', '{"id":"')
  expect(await undeclared.client.createOrder({}, never)).toMatchObject({ outcome: 'UNCLEAR' })
  const readable = await answer('application/json', '{"id":"Z1","note":"')
  expect(await readable.client.createOrder({}, never)).toMatchObject({ outcome: 'ACCEPTED', externalId: 'Z1' })
})

test('reports REFUSED without a connection, UNCLEAR after one', async () => {
  const { client, seen, port } = await startServer((request) => void request.socket.destroy(), {
    postTimeoutMs: 1000,
  })
  expect(await client.createOrder({}, never)).toMatchObject({ outcome: 'UNCLEAR', answer: null })
  expect(seen).toHaveLength(1)

  const silent = await startServer(() => {}, { postTimeoutMs: 1000 })
  expect(await silent.client.createOrder({}, never)).toMatchObject({
    outcome: 'UNCLEAR',
    reason: expect.stringContaining('ETIMEDOUT'),
  })
  const half = await startServer((_request, response) => {
    response.writeHead(200, { 'content-length': '11' }).write('{"id":')
    setTimeout(() => response.destroy(), 20)
  })
  expect(await half.client.createOrder({}, never)).toMatchObject({ outcome: 'UNCLEAR' })

  for (const baseUrl of [
    'http://127.0.0.1:9',
    'http://no-such-host.invalid',
    // Not a TLS server.
    `https://127.0.0.1:${port}`,
  ]) {
    const result = await createClient({ baseUrl }).createOrder({}, never)
    expect(result).toMatchObject({ outcome: 'REFUSED', reason: expect.stringMatching(/^Not sent: /) })
  }
})

test('stops reading an endless answer', async () => {
  const { client } = await startServer((_request, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', pour)
    }
    pour()
  })
  expect(await client.createOrder({}, never)).toMatchObject({
    outcome: 'UNCLEAR',
    reason: expect.stringContaining('larger than 32 MB'),
  })
})

test('sends an order while a read hangs', async () => {
  const { client, seen } = await startServer(
    (request, response) => (request.method === 'POST' ? accept(request, response) : undefined),
    { requestDelayMs: 100 },
  )
  const stop = new AbortController()
  const reads = [client.brands(null, stop.signal), client.categories(null, stop.signal)]
  await expect.poll(() => seen).toHaveLength(1)
  expect(await client.createOrder({}, never)).toMatchObject({ outcome: 'ACCEPTED' })
  expect(await client.createOrder({}, never)).toMatchObject({ outcome: 'ACCEPTED' })
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST'])
  stop.abort(new Error('stopping'))
  await Promise.allSettled(reads)
})

test('does not send an order aborted in the queue', async () => {
  const { client, seen } = await startServer(accept, { requestDelayMs: 600_000 })
  const stop = new AbortController()
  await client.brands(null, never)
  const waiting = client.createOrder({}, stop.signal)
  stop.abort(new Error('the service is stopping'))
  expect(await waiting).toEqual({
    outcome: 'REFUSED',
    reason: 'Not sent: the service is stopping',
    answer: null,
  })
  expect(await client.createOrder({}, stop.signal)).toMatchObject({ outcome: 'REFUSED' })
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
})

test('reports an order aborted during the call as UNCLEAR', async () => {
  const stop = new AbortController()
  const { client } = await startServer(() => stop.abort(new Error('the service is stopping')))
  expect(await client.createOrder({}, stop.signal)).toEqual({
    outcome: 'UNCLEAR',
    reason: 'No answer: the service is stopping',
    answer: null,
  })
})
