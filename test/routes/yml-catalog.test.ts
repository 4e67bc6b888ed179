import { type OutgoingHttpHeaders, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { XMLValidator } from 'fast-xml-parser'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrand, createCategory, createManyProducts, markSynchronised } from '../support/factories.ts'
import { describedApi, startTestShop, type TestShop } from '../support/shop.ts'

const PATHS = ['/api/v1/yml-catalog', '/api/v1/yml-catalog.xml']
const PATH = '/api/v1/yml-catalog.xml'
const GOOGLE = '/api/v1/google-merchant.xml'
let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({}, { publishes: true })
  await createManyProducts(shop.deps.db, 1000, [await createCategory(shop.deps.db)], [await createBrand(shop.deps.db)])
})
afterAll(() => shop.close())

type Raw = {
  status: number | undefined
  headers: { [name: string]: string | string[] | undefined }
  bytes: Buffer
}

/** An answer as it is on the wire: fetch would decompress it. */
function raw(method: string, headers: OutgoingHttpHeaders = {}, path = PATH): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(shop.url + path, { method, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(pieces) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('builds the first feed on demand, once for ten concurrent requests', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => raw('GET')))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  expect(new Set(answers.map((answer) => answer.headers.etag)).size).toBe(1)
  for (const { bytes } of answers) expect(bytes.equals(answers[0]?.bytes ?? Buffer.alloc(0))).toBe(true)
  expect(answers[0]?.bytes.toString()).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<yml_catalog [\s\S]*<\/yml_catalog>\n$/,
  )
  const { rows } = await sql<{ id: number }>`select id from publications`.execute(shop.deps.db)
  expect(rows).toEqual([{ id: 1 }])
})

test('serves the same feed on both paths, plain or gzip, each with a strong ETag', async () => {
  const [plain, other] = await Promise.all(PATHS.map((path) => raw('GET', {}, path)))
  const packed = await raw('GET', { 'accept-encoding': 'gzip, br' })
  expect(other?.bytes.equals(plain?.bytes ?? Buffer.alloc(0))).toBe(true)
  expect(gunzipSync(packed.bytes).equals(plain?.bytes ?? Buffer.alloc(0))).toBe(true)
  expect(packed.bytes.length).toBeLessThan((plain?.bytes.length ?? 0) / 4)
  for (const answer of [plain, packed]) {
    expect(answer?.headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'content-length': String(answer?.bytes.length),
      etag: expect.stringMatching(/^"[\da-z-]+"$/),
      'last-modified': expect.stringMatching(/ GMT$/),
      vary: expect.stringMatching(/accept-encoding/i),
    })
  }
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(plain?.headers['content-encoding']).toBeUndefined()
  expect(packed.headers.etag).not.toBe(plain?.headers.etag)
  expect((await raw('GET', { 'accept-encoding': 'gzip;q=0, *' })).headers['content-encoding']).toBeUndefined()
})

test('returns the headers of GET without a body for HEAD, on both paths', async () => {
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const got = await raw('GET', headers)
    for (const path of PATHS) {
      const head = await raw('HEAD', headers, path)
      expect([head.status, head.bytes.length]).toEqual([200, 0])
      for (const name of ['content-type', 'content-length', 'content-encoding', 'etag', 'last-modified', 'vary']) {
        expect([name, head.headers[name]]).toEqual([name, got.headers[name]])
      }
    }
  }
})

test('responds 304 to a caller that has the feed', async () => {
  const { headers } = await raw('GET')
  const etag = String(headers.etag)
  const since = String(headers['last-modified'])
  const conditions = [
    { 'if-none-match': etag },
    { 'if-none-match': `"other", W/${etag}` },
    { 'if-none-match': '*' },
    { 'if-modified-since': since },
  ]
  for (const method of ['GET', 'HEAD']) {
    for (const condition of conditions) {
      const answer = await raw(method, condition)
      expect([answer.status, answer.bytes.length, answer.headers.etag]).toEqual([304, 0, etag])
      expect(answer.headers['content-type']).toBeUndefined()
    }
  }
  expect((await raw('GET', { 'if-none-match': etag, 'accept-encoding': 'gzip' })).status).toBe(200)
  expect((await raw('GET', { 'if-none-match': '"other"', 'if-modified-since': since })).status).toBe(200)
  expect((await raw('GET', { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200)
})

test('ignores odd headers and invalid tokens', async () => {
  for (const headers of [
    { 'accept-encoding': ';;;,,q=' },
    { 'if-none-match': ',,,' },
    { range: 'bytes=0-10' },
    { authorization: 'Bearer nonsense' },
  ]) {
    const answer = await raw('GET', headers)
    expect([answer.status, String(answer.bytes.length)]).toEqual([200, answer.headers['content-length']])
  }
  expect((await raw('POST')).status).toBe(401)
})

test('describes all six operations', async () => {
  const body = JSON.parse(await describedApi(shop.app))
  for (const path of [...PATHS, GOOGLE]) {
    expect(body).toMatchObject({
      paths: {
        [path]: {
          get: { responses: { 200: { content: { 'application/xml': {} } }, 304: {} } },
          head: { responses: { 200: {}, 304: {} } },
        },
      },
    })
  }
})

test('responds 503 while the first feed can’t be built', async () => {
  const other = await startTestShop({}, { publishes: true })
  await markSynchronised(other.deps.db)
  try {
    await sql`alter table publication_chunks add constraint broken check (false)`.execute(other.deps.db)
    const answer = await other.call('GET', PATH)
    expect(answer.status).toBe(503)
    expect(answer.body).toMatchObject({ code: 'UNAVAILABLE', requestId: expect.any(String) })
    expect(answer.headers.get('retry-after')).toBe('60')
    await sql`alter table publication_chunks drop constraint broken`.execute(other.deps.db)
    expect((await other.call('GET', PATH)).status).toBe(200)
  } finally {
    await other.close()
  }
})

test('serves the same offers to Google, those with an image', async () => {
  const { db } = shop.deps
  await sql`insert into images (storage_key, file_name, content_type, size, width, height, sha256)
    values ('google', 'f', 'image/avif', 1, 1, 1, '')`.execute(db)
  await sql`insert into product_images select products.id, images.id, 0 from images, products
    order by products.id limit 2`.execute(db)
  const plain = await raw('GET', {}, GOOGLE)
  const text = plain.bytes.toString()
  expect([plain.status, plain.headers['content-type']]).toEqual([200, 'application/xml; charset=utf-8'])
  expect(XMLValidator.validate(text)).toBe(true)
  expect([...text.matchAll(/<g:id>(\d+)</g)].map(([, id]) => id)).toEqual(['1', '2'])
  expect(text).toMatch(/<g:image_link>[^<]*\/api\/v1\/images\/1\?v=\w*&amp;format=webp</)
  const packed = await raw('GET', { 'accept-encoding': 'gzip' }, GOOGLE)
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
  const head = await raw('HEAD', {}, GOOGLE)
  expect([head.status, head.bytes.length, head.headers.etag]).toEqual([200, 0, plain.headers.etag])
  const etag = String(plain.headers.etag)
  expect((await raw('GET', { 'if-none-match': etag }, GOOGLE)).status).toBe(304)
  expect(XMLValidator.validate((await raw('GET')).bytes.toString())).toBe(true)
})
