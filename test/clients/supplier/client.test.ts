import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { createSupplierClient } from '../../../src/clients/supplier/client.ts'
import type { SupplierHttpConfig } from '../../../src/clients/supplier/http.ts'

const never = new AbortController().signal
const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string; at: number }

/** Starts a server on loopback that records requests, and a client for it. */
async function startServer(answer: RequestListener, config: Partial<SupplierHttpConfig> = {}) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const note = { method, path, headers, body: '', at: performance.now() }
    seen.push(note)
    for await (const chunk of request) note.body += chunk
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  const { port } = address
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api`, ...config })
  return { client, seen, port }
}

function createClient(config: Partial<SupplierHttpConfig> & { baseUrl: string }) {
  return createSupplierClient({
    token: 'the-token',
    username: 'the-user',
    password: 'the-password',
    authType: 'BASIC',
    requestDelayMs: 0,
    timeZone: 'UTC',
    ...config,
  })
}

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
const emptyPage = JSON.stringify({ items: [], page: 1, nextPage: null })
const accept: RequestListener = (request, response) =>
  void response.end(request.method === 'POST' ? '{"id":"Z1"}' : emptyPage)

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

test('redacts echoed credentials and removes unstorable characters', async () => {
  const basic = Buffer.from('the-user:the-password').toString('base64')
  const body = `no entry for the-token (the-password, Basic ${basic}) \0 end`
  const { client } = await startServer((_request, response) => void response.writeHead(403).end(body))
  const result = JSON.stringify(await client.createOrder({}, never))
  const failure = await client.brands(null, never).catch((error: unknown) => String(error))
  for (const text of [result, String(failure)]) {
    expect(text).toContain('no entry for ***')
    expect(text).not.toMatch(/the-token|the-password|\\u0000/)
    expect(text).not.toContain(basic)
  }
})

test('reads a page of 10 000 products and rejects one of 10 001', async () => {
  const items = Array.from({ length: 10_001 }, () => ({}))
  const { client } = await startServer((_request, response) => {
    response.end(JSON.stringify({ items, nextPage: null }))
  })
  const tooLong = 'ListProducts: a page of 10001 items is larger than 10000'
  await expect(client.products(1, null, never)).rejects.toThrow(tooLong)
  items.pop()
  expect((await client.products(1, null, never)).rejected).toHaveLength(10_000)
})

test.each([
  ['a list of 100 001 records', `{},`.repeat(100_000), 'a page of 100001 items is larger than 100000'],
  [
    'a million values in one record',
    `[${'0,'.repeat(1_000_000)}0],`,
    /an answer of 10\d+ values is larger than 1000000/,
  ],
])('rejects %s before it is parsed', async (_name, items, fault) => {
  const parse = vi.spyOn(JSON, 'parse')
  const { client } = await startServer((_request, response) => void response.end(`{"items":[${items}{}]}`))
  await expect(client.categories(null, never)).rejects.toThrow(fault)
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
})

test('rejects a compressed answer beyond 32 MB', async () => {
  const long = gzipSync(JSON.stringify({ items: [], filling: 'x'.repeat(33 * 1024 * 1024) }))
  const { client, seen } = await startServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(long)
  })
  await expect(client.brands(null, never)).rejects.toThrow('ListBrands: the answer is larger than 32 MB')
  expect(seen).toHaveLength(1)
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

test.each([
  'this is not JSON',
  '{}',
  '{"items":{},"nextPage":null}',
  '{"items":[]}',
  '{"items":[],"nextPage":"2"}',
  '[]',
  'null',
  '"x"',
])('rejects %j as a page of products', async (body) => {
  const { client, seen } = await startServer((_request, response) => void response.end(body))
  await expect(client.products(1, null, never)).rejects.toThrow(
    /^ListProducts: (the answer is not JSON$|not a valid list)/,
  )
  expect(seen).toHaveLength(1)
})

test.each([301, 302, 304, 307])('follows no redirect, and takes the body of a %d for no list', async (status) => {
  const location = 'https://supplier.example/api/ListProducts'
  const { client, seen } = await startServer((_request, response) => {
    response.writeHead(status, { location }).end(status === 304 ? undefined : emptyPage)
  })
  await expect(client.products(1, null, never)).rejects.toThrow(
    `ListProducts: the supplier answered ${status} with a redirect to ${location}`,
  )
  expect(seen).toHaveLength(1)
})

test('rejects a next page that does not advance', async () => {
  const { client } = await startServer((_request, response) => void response.end('{"items":[],"nextPage":2}'))
  await expect(client.products(2, null, never)).rejects.toThrow('ListProducts named 2 as the page after 2')
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

test('sends other requests during the backoff of a failed one', async () => {
  let hasOrder = false
  const { client, seen } = await startServer((request, response) => {
    hasOrder ||= request.method === 'POST'
    if (hasOrder) accept(request, response)
    else response.writeHead(503, { 'retry-after': '2' }).end()
  })
  const page = client.brands(null, never)
  await expect.poll(() => seen).not.toEqual([])
  await client.createOrder({}, never)
  await page
  const reads = seen.filter(({ method }) => method === 'GET').map(({ at }) => at)
  expect((reads.at(-1) ?? 0) - (reads[0] ?? 0)).toBeGreaterThan(1900)
})

test('repeats a read whose connection was cut', async () => {
  const { client, seen } = await startServer((request, response) => {
    if (seen.length === 1) request.socket.destroy()
    else accept(request, response)
  })
  expect(await client.products(1, null, never)).toMatchObject({ records: [], nextPage: null })
  expect(seen).toHaveLength(2)
})

test('retries a read three times, unless Retry-After is too long', async () => {
  const broken = await startServer((_request, response) => {
    response.writeHead(503, { 'retry-after': new Date(Date.now() - 5000).toUTCString() }).end()
  })
  await expect(broken.client.brands(null, never)).rejects.toThrow('the supplier answered 503')
  expect(broken.seen).toHaveLength(4)
  for (const [status, retryAfter] of [
    [429, '31'],
    [404, '1'],
  ] as const) {
    const { client, seen } = await startServer((_request, response) => {
      response.writeHead(status, { 'retry-after': retryAfter }).end()
    })
    await expect(client.brands(null, never)).rejects.toThrow(`the supplier answered ${status}`)
    expect(seen).toHaveLength(1)
  }
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
