import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StorefrontLimits } from '../../../src/clients/storefront/http.ts'
import { createStorefront, type Storefront } from '../../../src/clients/storefront/storefront.ts'
import { StorefrontError } from '../../../src/errors.ts'
import { cut, listen } from '../../support/loopback.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

let server: Server
let site: string
let pages: Map<string, Handler>
let asked: string[]
let storefront: Storefront | undefined
const never = new AbortController().signal

beforeEach(async () => {
  pages = new Map()
  asked = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const handler = pages.get(request.url ?? '')
    if (handler) handler(request, response)
    else response.writeHead(404).end()
  })
  site = `http://127.0.0.1:${await listen(server)}`
})
afterEach(async () => {
  storefront?.close()
  await cut(server)
})

function open(
  { allowedHosts = [new URL(site).host], delayMs = 0 }: { allowedHosts?: string[]; delayMs?: number } = {},
  limits: StorefrontLimits = {},
): Storefront {
  storefront?.close()
  storefront = createStorefront({ userAgent: 'TestFetcher/2.0', delayMs, allowedHosts }, { retryDelayMs: 1, ...limits })
  return storefront
}

const says =
  (status: number, headers: Record<string, string>, body: string | Buffer = ''): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(body)
const html = (text: string) => says(200, { 'content-type': 'text/html; charset=utf-8' }, text)

async function failure(promise: Promise<unknown>): Promise<Partial<StorefrontError>> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof StorefrontError)) throw new Error(`not refused as it should be: ${error}`)
  const { message, permanent, status } = error
  return { message, permanent, ...(status !== undefined && { status }) }
}

test('returns a page with its URL after redirects, and sends the user agent', async () => {
  let agent: string | undefined
  pages.set('/old', says(301, { location: '/new?x=1#part' }))
  pages.set('/new?x=1', (request, response) => {
    agent = request.headers['user-agent']
    html('<p>Чайник')(request, response)
  })
  const page = await open().readPage(`${site.replace('//', '//bob:secret@')}/old#here`, never)
  expect(page).toEqual({ url: `${site}/new?x=1`, html: '<p>Чайник' })
  expect(agent).toBe('TestFetcher/2.0')
})

test.each([
  ['the header', { 'content-type': 'text/html; charset=windows-1251' }, Buffer.from([0xf7, 0xe0, 0xe9])],
  [
    'the page itself',
    { 'content-type': 'text/html' },
    Buffer.concat([Buffer.from('<meta charset="windows-1251">'), Buffer.from([0xf7, 0xe0, 0xe9])]),
  ],
  ['nothing that exists', { 'content-type': 'text/html; charset=klingon' }, Buffer.from('чай')],
  ['a byte order mark of UTF-16', { 'content-type': 'text/html' }, Buffer.from('\uFEFF<p>чай', 'utf16le')],
  ['a byte order mark', { 'content-type': 'text/html; charset=windows-1251' }, Buffer.from('\uFEFFчай')],
])('reads the encoding from %s', async (_, headers, body) => {
  pages.set('/p', says(200, headers, body))
  expect((await open().readPage(`${site}/p`, never)).html).toMatch(/чай$/)
})

test.each([
  'http://127.0.0.1:8080/',
  'http://shop.localhost:8080/',
  'http://[64:ff9b:1::7f00:1]:8080/',
  'http://[fec0::1]:8080/',
  'http://localhost:8080/',
  'http://localhost.:8080/',
  'http://2130706433:8080/',
  'http://0x7f.1:8080/',
  'http://0.0.0.0:8080/',
  'http://[::1]:8080/',
  'http://[::]:8080/',
  'http://[::ffff:127.0.0.1]:8080/',
  'http://[::7f00:1]:8080/',
  'http://[fe80::1]:8080/',
  'http://[fd00::1]:8080/',
  'http://[64:ff9b::7f00:1]:8080/',
  'http://[2002:7f00:1::]:8080/',
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://172.16.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/',
  'http://168.63.129.16/metadata/instance',
  'http://[::ffff:168.63.129.16]/',
  'http://224.0.0.1/',
  'https://127.0.0.1:8443/',
])('rejects %s as not public', async (address) => {
  const image = await failure(open().readImage(address, null, never))
  expect(image).toMatchObject({ permanent: true, message: expect.stringMatching(/private/) })
  expect((await failure(open().readPage(address, never))).permanent).toBe(true)
})

test('checks a redirect like the first URL', async () => {
  const other = createServer((_, response) => response.end('secret'))
  const port = await listen(other)
  try {
    pages.set('/image', says(302, { location: `http://127.0.0.1:${port}/secret` }))
    const { message } = await failure(open().readImage(`${site}/image`, null, never))
    expect(message).toMatch(/private/)
    pages.set('/file', says(302, { location: 'file:///etc/passwd' }))
    expect((await failure(open().readImage(`${site}/file`, null, never))).message).toMatch(/not http/)
    pages.set('/loop', says(302, { location: '/loop' }))
    expect((await failure(open().readImage(`${site}/loop`, null, never))).message).toMatch(/more than 5 redirects/)
  } finally {
    other.close()
  }
})

test('checks the addresses of a name at each connection', async () => {
  pages.set('/a.png', says(200, {}, 'bytes'))
  let answers = [{ address: '127.0.0.1', family: 4 }]
  const limits: StorefrontLimits = {
    lookup: (_host, options, callback) => {
      const [first] = answers
      if (options.all) callback(null, answers)
      else callback(null, first?.address ?? '', first?.family)
    },
  }
  const port = new URL(site).port
  const rebound = () => failure(open({}, limits).readImage(`http://shop.example:${port}/a.png`, null, never))
  expect((await rebound()).message).toMatch(/private/)
  // One public address among private ones does not help.
  answers = [
    { address: '203.0.113.7', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  expect((await rebound()).message).toMatch(/private/)
  expect(asked).toEqual([])
  answers = [{ address: '127.0.0.1', family: 4 }]
  const allowed = open({ allowedHosts: ['Shop.example'] }, limits)
  const bytes = await allowed.readImage(`http://shop.example:${port}/a.png`, null, never)
  expect(bytes.toString()).toBe('bytes')
  const otherPort = open({ allowedHosts: ['shop.example:1'] }, limits)
  expect((await failure(otherPort.readImage(`http://shop.example:${port}/a.png`, null, never))).permanent).toBe(true)
})

test.each([
  'ftp://shop.example/a',
  'javascript:1',
  'nonsense',
  '',
  'http://shop.example:25/',
  'https://shop.example:22/',
])('does not request "%s"', async (address) => {
  expect((await failure(open().readImage(address, null, never))).permanent).toBe(true)
})

test('aborts a response that is too large, compressed or not', async () => {
  const zeros = Buffer.alloc(16 * 1024 * 1024)
  pages.set('/packed', says(200, { 'content-encoding': 'gzip' }, gzipSync(zeros)))
  expect((await failure(open().readImage(`${site}/packed`, null, never))).message).toBe(
    'the response is larger than 15 MB',
  )
  let sent = 0
  pages.set('/endless', async (_, response) => {
    while (!response.destroyed && sent < 100_000_000) {
      sent += 100_000
      response.write(zeros.subarray(0, 100_000))
      await delay(1)
    }
  })
  pages.set('/robots.txt', says(404, {}))
  expect((await failure(open().readPage(`${site}/endless`, never))).message).toMatch(/larger than 5 MB/)
  expect(sent).toBeLessThan(30_000_000)
})

test('times out on silence and on a trickle', async () => {
  pages.set('/silent', () => {})
  pages.set('/drip', async (_, response) => {
    response.writeHead(200)
    while (!response.destroyed) {
      response.write('.')
      await delay(20)
    }
  })
  const limits = { timeout: { socket: 150, request: 400 } }
  expect(await failure(open({}, limits).readImage(`${site}/silent`, null, never))).toMatchObject({
    permanent: false,
  })
  expect((await failure(open({}, limits).readImage(`${site}/drip`, null, never))).message).toMatch(/ETIMEDOUT/)
})

test('fails on a truncated file', async () => {
  pages.set('/cut', (_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('beginning')
    setTimeout(() => response.destroy(), 20)
  })
  expect(await failure(open().readImage(`${site}/cut`, null, never))).toMatchObject({ permanent: false })
  expect(asked).toHaveLength(3)
})

test('fails on an empty response', async () => {
  pages.set('/empty', says(200, { 'content-type': 'image/png' }))
  expect(await failure(open().readImage(`${site}/empty`, null, never))).toMatchObject({
    message: 'the response is empty',
    permanent: true,
  })
})

test('retries temporary failures only', async () => {
  let times = 0
  pages.set('/blip', (request, response) => {
    times += 1
    says(times < 3 ? 503 : 200, {}, 'bytes')(request, response)
  })
  expect((await open().readImage(`${site}/blip`, null, never)).toString()).toBe('bytes')
  pages.set('/gone', says(410, {}))
  expect(await failure(open().readImage(`${site}/gone`, null, never))).toMatchObject({
    status: 410,
    permanent: true,
  })
  pages.set('/busy', says(429, {}))
  expect(await failure(open().readImage(`${site}/busy`, null, never))).toMatchObject({ status: 429, permanent: false })
  expect(asked).toEqual([...Array(3).fill('GET /blip'), 'GET /gone', ...Array(3).fill('GET /busy')])
})

test('sends the page as the referrer of an image', async () => {
  const referers: (string | undefined)[] = []
  pages.set('/a.png', (request, response) => {
    referers.push(request.headers.referer)
    response.end('bytes')
  })
  await open().readImage(`${site}/a.png`, `${site}/page`, never)
  await open().readImage(`${site}/a.png`, null, never)
  expect(referers).toEqual([`${site}/page`, undefined])
})

test('rejects a response that is not HTML', async () => {
  pages.set('/a.png', says(200, { 'content-type': 'image/png' }, 'bytes'))
  const { message, permanent } = await failure(open().readPage(`${site}/a.png`, never))
  expect([message, permanent]).toEqual(['expected an HTML page, got image/png', true])
})

test('fetches robots.txt once and obeys it for pages and their redirects', async () => {
  pages.set('/robots.txt', says(200, {}, 'User-agent: testfetcher\nDisallow: /secret\n\nUser-agent: *\nDisallow: /'))
  pages.set('/open', html('open'))
  pages.set('/moved', says(302, { location: '/secret/1' }))
  pages.set('/secret/1', html('secret'))
  const reader = open()
  expect((await reader.readPage(`${site}/open`, never)).html).toBe('open')
  const forbidden = { message: 'robots.txt disallows the page', permanent: true }
  expect(await failure(reader.readPage(`${site}/secret/1`, never))).toMatchObject(forbidden)
  expect(await failure(reader.readPage(`${site}/moved`, never))).toMatchObject(forbidden)
  expect(asked).toEqual(['GET /robots.txt', 'GET /open', 'GET /moved'])
})

test('allows all pages without a robots.txt and none while it is unavailable', async () => {
  pages.set('/p', html('page'))
  expect((await open().readPage(`${site}/p`, never)).html).toBe('page')
  pages.set('/robots.txt', says(503, {}))
  expect(await failure(open().readPage(`${site}/p`, never))).toMatchObject({ status: 503, permanent: false })
  pages.set('/robots.txt', says(403, {}))
  expect((await open().readPage(`${site}/p`, never)).html).toBe('page')
})

test('compares a path with no more wildcards than a few milliseconds allow', async () => {
  const costly = `Disallow: ${'*a'.repeat(240)}b\n`
  pages.set('/robots.txt', says(200, {}, `User-agent: *\n${costly.repeat(900)}Disallow: /*secret\nDisallow: /private`))
  const path = `/${'a'.repeat(1900)}`
  pages.set(path, html('page'))
  pages.set('/secret', html('secret'))
  expect((await open().readPage(site + path, never)).html).toBe('page')
  expect((await open().readPage(`${site}/secret`, never)).html).toBe('secret')
  const costless = await failure(open().readPage(`${site}/private`, never))
  expect(costless).toMatchObject({ message: 'robots.txt disallows the page' })
})

test('aborts on close', async () => {
  pages.set('/silent', () => {})
  const stop = new AbortController()
  const reading = open().readPage(`${site}/silent`, stop.signal)
  const image = open().readImage(`${site}/silent`, null, stop.signal)
  setTimeout(() => stop.abort(new Error('stopping')), 50)
  await expect(reading).rejects.toThrow()
  await expect(image).rejects.toThrow('stopping')
})
