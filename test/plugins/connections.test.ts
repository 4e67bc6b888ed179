import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { converse, readAnswer } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const shape = (code: string) => ({
  error: expect.any(String),
  code,
  message: expect.any(String),
  requestId: expect.any(String),
})

test.each([
  ['no HTTP request', '\x00\x01nonsense\r\n\r\n', 400, 'VALIDATION_FAILED'],
  ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'VALIDATION_FAILED'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'VALIDATION_FAILED',
  ],
  ['a long URL', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ['a long header', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ['no host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_FAILED'],
  ['two hosts', 'GET /health/live HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n', 400, 'VALIDATION_FAILED'],
])('rejects %s in the common form', async (_what, text, status, code) => {
  const answer = readAnswer(await converse(shop.url, text))
  expect([answer.status, answer.body]).toEqual([status, expect.objectContaining(shape(code))])
  expect(answer.headers).toContain('x-request-id: ')
  expect(answer.headers).toContain('connection: close')
})

test('ignores an unknown expectation', async () => {
  const text = 'GET /health/live HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nConnection: close\r\n\r\n'
  expect(readAnswer(await converse(shop.url, text)).status).toBe(200)
})

test('answers a good request before garbage that follows it', async () => {
  const text = await converse(shop.url, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n\x00\x01nonsense\r\n\r\n')
  expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\{"status":"UP"\}HTTP\/1\.1 400 Bad Request/)
})

test('answers an incomplete request with 408', async () => {
  expect(shop.app.server).toMatchObject({ headersTimeout: 30_000, requestTimeout: 60_000 })
  // By default Node checks every 30 s.
  const timeouts = { connectionsCheckingInterval: 20, headersTimeout: 50, requestTimeout: 50 }
  const other = await startTestShop({}, { prepare: ({ server }) => void Object.assign(server, timeouts) })
  try {
    const answer = readAnswer(await converse(other.url, 'GET / HTTP/1.1\r\nHos'))
    expect([answer.status, answer.body]).toEqual([408, shape('REQUEST_TIMEOUT')])
  } finally {
    await other.close()
  }
})

test('rejects large bodies and other content types in the common error format', async () => {
  const large = await shop.call('POST', '/api/v1/cart/validate', { body: 'x'.repeat(2_000_000) })
  expect([large.status, large.body]).toEqual([413, shape('PAYLOAD_TOO_LARGE')])
  const headers = { 'content-type': 'text/csv' }
  const strange = await shop.call('POST', '/api/v1/contacts', { body: 'a', headers })
  expect([strange.status, strange.body]).toEqual([415, shape('UNSUPPORTED_MEDIA_TYPE')])
})

test.each(['0x10', '1e1', '+16', '%2016', '16%20', '1.0', '-1', '１６', 'abc', '1,2', ''])(
  'rejects the id "%s" in a path with 400',
  async (id) => {
    for (const path of [`/api/v1/products/${id}/attributes`, `/api/v1/brands/${id || '%20'}`]) {
      const answer = await shop.call('GET', path)
      expect([path, answer.status, answer.body]).toEqual([
        path,
        400,
        { ...shape('VALIDATION_FAILED'), details: [{ path: 'params.id', message: expect.any(String) }] },
      ])
    }
  },
)

test('answers ids out of range with 404', async () => {
  for (const id of ['0', '00', '2147483648', '9'.repeat(400), '9'.repeat(9000)]) {
    const answer = await shop.call('GET', `/api/v1/products/${id}`)
    expect([id.length, answer.status, answer.body]).toEqual([id.length, 404, shape('NOT_FOUND')])
  }
})

test('answers writes and readiness with 503 while the database is read-only', async () => {
  const logged: string[] = []
  const logTo = { write: (line: string) => void logged.push(line) }
  const other = await startTestShop({ LOG_LEVEL: 'warn' }, { logTo })
  try {
    const token = await loginAs(other, 'USER')
    const created = await other.call('POST', '/api/v1/admin/api-keys', {
      token: await loginAs(other, 'SUPER_ADMIN'),
      body: { name: 'Export', role: 'ADMIN' },
    })
    const name = new URL(other.deps.config.databaseUrl).pathname.slice(1)
    await sql`alter database ${sql.id(name)} set default_transaction_read_only = on`.execute(other.deps.db)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and pid <> pg_backend_pid()`.execute(other.deps.db)
    await sql`set default_transaction_read_only = on`.execute(other.deps.db)
    const refused = await other.call('PUT', '/api/v1/auth/profile', { token, body: { name: 'New' } })
    expect([refused.status, refused.body]).toEqual([503, shape('UNAVAILABLE')])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const ready = await other.call('GET', '/health/ready')
    expect([ready.status, ready.body]).toEqual([503, shape('UNAVAILABLE')])
    expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0)
    const lines = logged.filter((line) => line.includes(ready.headers.get('x-request-id') ?? 'none'))
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ part: 'database', error: 'The database is read-only', msg: 'not ready' }),
    ])
    expect((await other.call('GET', '/api/v1/products')).status).toBe(200)
    const { key } = Object(created.body)
    expect((await other.call('GET', '/api/v1/admin/users', { token: key })).status).toBe(200)
  } finally {
    await other.close()
  }
})
