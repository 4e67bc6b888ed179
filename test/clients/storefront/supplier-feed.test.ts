import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../../db/embedded/server.ts'
import { createSupplierFeedClient } from '../../../src/clients/storefront/supplier-feed.ts'
import { SupplierFeedError } from '../../../src/errors.ts'
import { type FeedServer, startFeedServer } from '../../support/feed-server.ts'

type FeedLimits = NonNullable<Parameters<typeof createSupplierFeedClient>[2]>

const open: FeedServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function serving(answer: Parameters<FeedServer['serve']>[0]): Promise<FeedServer> {
  const server = await startFeedServer()
  open.push(server)
  server.serve(answer)
  return server
}

const NEVER = new AbortController().signal
async function fetchFeed(
  url: string,
  limits: FeedLimits = {},
  signal = NEVER,
  allowedHosts = ['localhost'],
): Promise<string> {
  const client = createSupplierFeedClient(url, allowedHosts, { retryDelayMs: 1, ...limits })
  return Buffer.concat(await Array.fromAsync(client.read(signal, () => {}))).toString()
}

const servingGzip = (bytes: Buffer) =>
  serving((_request, response) => response.setHeader('content-encoding', 'gzip').end(bytes))

test('streams the whole feed, compressed or not, in chunks of any size', async () => {
  const text = '<yml_catalog/>'.repeat(1000)
  expect(await fetchFeed((await serving(text)).url)).toBe(text)
  expect(await fetchFeed((await servingGzip(gzipSync(text))).url)).toBe(text)
  const slow = await serving(async (_request, response) => {
    response.setHeader('content-encoding', 'gzip')
    for (const byte of gzipSync(text)) {
      response.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    response.end()
  })
  expect(await fetchFeed(slow.url)).toBe(text)
  expect(await fetchFeed((await serving('')).url)).toBe('')
})

test('retries a failing server until the first byte has arrived', async () => {
  const failing = await serving((_request, response) => {
    const statuses = [503, 429, 200]
    response.writeHead(statuses[failing.requests.length - 1] ?? 200).end('feed')
  })
  expect(await fetchFeed(failing.url)).toBe('feed')
  expect(failing.requests).toHaveLength(3)

  const refusing = await serving((_request, response) => response.writeHead(403).end('no'))
  await expect(fetchFeed(refusing.url)).rejects.toThrow('The feed could not be downloaded: the server answered 403')
  expect(refusing.requests).toHaveLength(1)

  const breaking = await serving((_request, response) => {
    response.write('<yml_catalog>')
    setImmediate(() => response.destroy())
  })
  await expect(fetchFeed(breaking.url)).rejects.toThrow(/could not be downloaded: ECONNRESET/)
  expect(breaking.requests).toHaveLength(1)
})

test('limits the uncompressed size and rejects corrupt gzip', async () => {
  const bomb = await servingGzip(gzipSync('x'.repeat(3_000_000)))
  await expect(fetchFeed(bomb.url, { maxBytes: 1024 * 1024 })).rejects.toThrow('larger than 1 MB')
  const broken = gzipSync('x'.repeat(1000)).subarray(0, 20)
  await expect(fetchFeed((await servingGzip(broken)).url)).rejects.toThrow(/could not be downloaded: ERR_/)
})

test('reads no more than the beginning of an error', async () => {
  let sent = 0
  const endless = await serving(async (_request, response) => {
    response.writeHead(404)
    const closed = once(response, 'close')
    for (; sent < 50 && !response.destroyed; sent += 1) {
      if (!response.write(Buffer.alloc(1024 * 1024))) {
        await Promise.race([once(response, 'drain'), closed])
      }
    }
    response.end()
  })
  await expect(fetchFeed(endless.url, { maxBytes: 1024 * 1024 })).rejects.toThrow('the server answered 404')
  expect(sent).toBeLessThan(50)
})

test('times out on silence before and after the first byte, and in total', async () => {
  const silent = await serving(() => {})
  await expect(fetchFeed(silent.url, { timeout: { socket: 500 } })).rejects.toThrow('ETIMEDOUT')
  expect(silent.requests).toHaveLength(3)
  const half = await serving((_request, response) => void response.write('<yml'))
  await expect(fetchFeed(half.url, { timeout: { socket: 500 } })).rejects.toThrow('ETIMEDOUT')
  expect(half.requests).toHaveLength(1)
  const endless = await serving((_request, response) => {
    const timer = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(timer))
  })
  await expect(fetchFeed(endless.url, { timeout: { request: 200 } })).rejects.toThrow('ETIMEDOUT')
})

test('fails without a server and on abort', async () => {
  await expect(fetchFeed(`http://127.0.0.1:${await freePort()}/`)).rejects.toThrow('ECONNREFUSED')
  const half = await serving((_request, response) => void response.write('<yml'))
  const stop = new AbortController()
  const reading = fetchFeed(half.url, {}, stop.signal)
  await expect.poll(() => half.requests.length).toBe(1)
  stop.abort(new Error('stopping'))
  await expect(reading).rejects.toThrow('stopping')
})

test('sends credentials, but neither to other hosts nor in messages', async () => {
  const elsewhere = await serving('<yml_catalog/>')
  const server = await serving((request, response) => {
    if (request.url?.startsWith('/feed.xml')) response.writeHead(302, { location: '/moved' }).end()
    else response.writeHead(302, { location: elsewhere.url.replace('127.0.0.1', 'localhost') }).end()
  })
  const url = `${server.url.replace('//', '//anna:s3cr%40t@')}?token=hidden`
  expect(await fetchFeed(url)).toBe('<yml_catalog/>')
  const sent = `Basic ${Buffer.from('anna:s3cr@t').toString('base64')}`
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([sent, sent])
  expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])

  server.serve((_request, response) => response.writeHead(401).end('no'))
  const error: unknown = await fetchFeed(url).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    name: 'SupplierFeedError',
    message: 'The feed could not be downloaded: the server answered 401',
  })
  expect(error).not.toHaveProperty('cause')
  server.serve((_request, response) => response.writeHead(302, { location: '/feed.xml' }).end())
  await expect(fetchFeed(url)).rejects.toThrow(/^The feed could not be downloaded: more than 5 redirects$/)
})

test('follows redirects to public addresses only, at every hop', async () => {
  const secret = await serving('<secret/>')
  const server = await serving('')
  const lookup: FeedLimits['lookup'] = (_host, { all }, callback) =>
    all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)
  const follow = (location: string, allowedHosts: string[] = []) => {
    server.serve((request, response) => {
      const next = request.url === '/feed.xml' ? '/hop' : location
      response.writeHead(302, { location: next }).end()
    })
    return fetchFeed(server.url, { lookup }, NEVER, allowedHosts)
  }
  const refused = 'The feed could not be downloaded: the address is private or not on the public internet'
  for (const location of [
    secret.url,
    secret.url.replace('127.0.0.1', 'localhost'),
    secret.url.replace('127.0.0.1', 'rebound.example'),
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]:8080/',
    'http://10.0.0.5/',
    'http://168.63.129.16/metadata',
    'http://[::ffff:a9fe:a9fe]/',
  ]) {
    const before = server.requests.length
    await expect(follow(location)).rejects.toThrow(new SupplierFeedError(refused))
    expect(server.requests).toHaveLength(before + 2)
  }
  await expect(follow('http://shop.example:25/')).rejects.toThrow("port 25 is not a web server's")
  expect(secret.requests).toEqual([])
  expect(await follow(secret.url, [new URL(secret.url).host])).toBe('<secret/>')
})
