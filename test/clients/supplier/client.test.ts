import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { accept, closeServers, EMPTY_PAGE, startServer } from '../../support/supplier-server.ts'

const never = new AbortController().signal

afterEach(closeServers)

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

/** «Чайник» in windows-1251. */
const KETTLE = Buffer.from([0xd7, 0xe0, 0xe9, 0xed, 0xe8, 0xea])
const listOf = (name: Buffer) =>
  Buffer.concat([Buffer.from('{"items":[{"id":"1","name":"'), name, Buffer.from('"}],"nextPage":null}')])
const inUtf16 = Buffer.from(`\uFEFF${listOf(Buffer.from('Чайник'))}`, 'utf16le')

test.each([
  ['application/json; charset=windows-1251', listOf(KETTLE)],
  ['application/json;CHARSET="cp1251"; q=1', listOf(KETTLE)],
  ['application/json; charset=klingon', listOf(Buffer.from('Чайник'))],
  ['application/json; charset=windows-1251', Buffer.from(`\uFEFF${listOf(Buffer.from('Чайник'))}`)],
  ['application/json', inUtf16],
  ['application/json', Buffer.from(inUtf16).swap16()],
])('reads an answer of type %s', async (type, body) => {
  const { client } = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  const named = { records: [{ externalId: '1', name: 'Чайник' }], rejected: [] }
  expect(await client.products(1, null, never)).toMatchObject(named)
  expect(await client.categories(null, never)).toMatchObject(named)
  expect(await client.brands(null, never)).toMatchObject(named)
})

test.each([
  ['application/json', 'UTF-8'],
  ['application/json; charset=utf-8', 'UTF-8'],
  ['application/json; charset=euc-jp', 'EUC-JP'],
])('rejects an answer of type %s with bytes that are not %s', async (type, encoding) => {
  const { client, seen } = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(listOf(Buffer.of(...KETTLE, 0xff)))
  })
  const fault = `the answer has bytes that are not ${encoding}`
  await expect(client.products(1, null, never)).rejects.toThrow(`ListProducts: ${fault}`)
  await expect(client.categories(null, never)).rejects.toThrow(`ListCategories: ${fault}`)
  await expect(client.brands(null, never)).rejects.toThrow(`ListBrands: ${fault}`)
  expect(seen).toHaveLength(3)
})

test('decodes the reason of a refusal', async () => {
  const { client } = await startServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'text/plain; charset=windows-1251' }).end(KETTLE)
  })
  await expect(client.brands(null, never)).rejects.toThrow('the supplier answered 403 Чайник')
})

test.each([301, 302, 304, 307])('follows no redirect, and takes the body of a %d for no list', async (status) => {
  const location = 'https://supplier.example/api/ListProducts'
  const { client, seen } = await startServer((_request, response) => {
    response.writeHead(status, { location }).end(status === 304 ? undefined : EMPTY_PAGE)
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

test.each([
  ['seconds', 503, () => '2'],
  // Dates have whole seconds.
  ['a date', 429, () => new Date(Date.now() + 3000).toUTCString()],
])('sends other requests while a read pauses before a retry, for %s', async (_, status, retryAfter) => {
  let hasOrder = false
  const { client, seen } = await startServer((request, response) => {
    hasOrder ||= request.method === 'POST'
    if (hasOrder) accept(request, response)
    else response.writeHead(status, { 'retry-after': retryAfter() }).end()
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

test.each(['-1', 'soon'])('pauses as usual before a retry after %j', async (retryAfter) => {
  const { client, seen } = await startServer((request, response) => {
    if (seen.length === 1) response.writeHead(503, { 'retry-after': retryAfter }).end()
    else accept(request, response)
  })
  await client.brands(null, never)
  const [first = 0, second = 0] = seen.map(({ at }) => at)
  expect(second - first).toBeGreaterThan(900)
})

const fail = (status: number, retryAfter?: string) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end()
const cut = (request: IncomingMessage) => void request.socket.destroy()
const OVER = 'Sat, 28 Nov 2015 10:00:00 GMT'

test.each([
  ['429 with a short Retry-After', [fail(429, '0')]],
  ['503 with a short Retry-After', [fail(503, '0')]],
  ['429 with a date that is over', [fail(429, OVER)]],
  ['a cut connection', [cut]],
  ['one cause after the other', [fail(429, '0'), cut, fail(503, OVER), fail(429, '0'), fail(500)]],
])('retries a read three times: %s', { timeout: 20_000 }, async (_, faults) => {
  const { client, seen } = await startServer((request, response) =>
    faults[(seen.length - 1) % faults.length]?.(request, response),
  )
  await expect(client.brands(null, never)).rejects.toThrow(/^ListBrands: (the supplier answered|ECONNRESET)/)
  expect(seen).toHaveLength(4)
})

test.each([
  [429, '31'],
  [503, 'Fri, 31 Dec 2100 23:59:59 GMT'],
  [404, '1'],
])('does not retry a read after a %i with Retry-After %s', async (status, retryAfter) => {
  const { client, seen } = await startServer(fail(status, retryAfter))
  await expect(client.brands(null, never)).rejects.toThrow(`the supplier answered ${status}`)
  expect(seen).toHaveLength(1)
})
