import { createServer } from 'node:http'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSupplierClient } from '../../src/clients/supplier/client.ts'
import { cut, listen } from '../support/loopback.ts'

// Credentials that stand in the supplier's address, and what becomes of them when he repeats them.
const USER = 'робот-shop'
const PASSWORD = 'p@ss:w/rd+ "x"'
const never = new AbortController().signal

let answer: { status: number; body: string }
let seen: (string | undefined)[]
let server: ReturnType<typeof createServer>
let base: string

beforeEach(async () => {
  answer = { status: 200, body: '{"items":[]}' }
  seen = []
  server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    request.resume()
    response.writeHead(answer.status).end(answer.body)
  })
  const port = await listen(server)
  base = `http://${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/api`
})
afterEach(() => cut(server))

const client = (config = {}) =>
  createSupplierClient({
    baseUrl: base,
    token: 'the/token+1',
    username: '',
    password: '',
    authType: 'TOKEN',
    requestDelayMs: 0,
    timeZone: 'UTC',
    ...config,
  })

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** What a log and the record of a run show of a failure. */
async function tracesOf(failing: Promise<unknown>): Promise<string> {
  const lines: string[] = []
  const log = pino(new Writable({ write: (line, _, done) => done(void lines.push(String(line))) }))
  const error = await failing.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Error)
  log.error({ err: error }, 'sync run failed')
  return `${lines.join('')}${error instanceof Error ? error.message : ''}`
}

test('sends the credentials of the address, unless BASIC ones are configured', async () => {
  await client().brands(null, never)
  await client({ authType: 'BASIC', username: 'env', password: 'secret' }).brands(null, never)
  expect(seen).toEqual([
    `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`,
    `Basic ${base64('env:secret')}`,
  ])
})

test.each([
  ['raw', PASSWORD],
  ['percent-encoded', encodeURIComponent(PASSWORD)],
  ['percent-encoded in small letters', encodeURIComponent(PASSWORD).toLowerCase()],
  ['as a form writes it', new URLSearchParams({ p: PASSWORD }).toString().slice(2)],
  ['in an address', new URL(`http://u:${encodeURIComponent(PASSWORD)}@a/`).password],
  ['in JSON', JSON.stringify(PASSWORD)],
  ['in base64', base64(PASSWORD)],
  ['in base64 for addresses', Buffer.from(PASSWORD).toString('base64url')],
  ['the pair', `${USER}:${PASSWORD}`],
  ['the pair in base64', base64(`${USER}:${PASSWORD}`)],
  ['the pair in base64, percent-encoded', encodeURIComponent(base64(`${USER}:${PASSWORD}`))],
  ['the name', USER],
  ['the name, percent-encoded', encodeURIComponent(USER)],
  ['the name in JSON, escaped', '\\u0440\\u043e\\u0431\\u043e\\u0442-shop'],
  ['the token', 'the/token+1'],
  ['the token, percent-encoded', encodeURIComponent('the/token+1')],
  ['the token in base64', base64('the/token+1')],
])('redacts credentials that the supplier echoes %s', async (_, echo) => {
  answer = { status: 403, body: `not for you: [${echo}] end` }
  const traces = await tracesOf(client().brands(null, never))
  expect(traces).toContain('not for you: [')
  expect(traces).toMatch(/\[\\?"?\*\*\*\\?"?\] end/)
  const posted = JSON.stringify(await client().createOrder({}, never))
  expect(posted).toMatch(/\[\\?"?\*\*\*\\?"?\] end/)
})

test('does not redact an order’s id that contains a secret', async () => {
  answer = { status: 200, body: `{"id":"${USER}-17"}` }
  expect(await client().createOrder({}, never)).toMatchObject({
    outcome: 'ACCEPTED',
    externalId: `${USER}-17`,
    answer: { body: '{"id":"***-17"}' },
  })
})

test('leaves no half of a secret where a text is cut', async () => {
  answer = { status: 403, body: `${'x'.repeat(195)}${PASSWORD}` }
  expect(await tracesOf(client().brands(null, never))).not.toContain(PASSWORD.slice(0, 4))
})

test.each([
  ['nobody listens', 'http://user%40x:pass%3Aword@127.0.0.1:9/api'],
  ['there is no such host', 'http://user%40x:pass%3Aword@no-such-host.invalid/api'],
])('redacts the address when %s', async (_, baseUrl) => {
  const impatient = new AbortController()
  const failing = client({ baseUrl }).createOrder({}, impatient.signal)
  const result = JSON.stringify(await failing)
  expect(result).toContain('Not sent')
  expect(result).not.toMatch(/user|pass/)
})
