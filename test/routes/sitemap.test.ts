import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { build as buildPublication } from '../../src/services/published/build.ts'
import { CLOSING, sitemapPublication } from '../../src/services/published/sitemap.ts'
import { createCategory, createProduct } from '../support/factories.ts'
import { emptyCatalogue } from '../support/publications.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

const SITE = 'https://shop.example/a&b'
beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: SITE }, { publishes: true })
})
beforeEach(() => emptyCatalogue(shop))
afterAll(() => shop.close())

type Entry = { loc: string; lastmod: string }

/** What a sitemap or an index of them lists. */
function read(xml: string): Entry[] {
  expect(XMLValidator.validate(xml)).toBe(true)
  const parsed = new XMLParser({
    ignoreAttributes: false,
    isArray: (name) => /^(url|sitemap)$/.test(name),
  }).parse(xml)
  const root = parsed.urlset ?? parsed.sitemapindex
  expect(root['@_xmlns']).toBe('http://www.sitemaps.org/schemas/sitemap/0.9')
  return root.url ?? root.sitemap ?? []
}

const entries = async (path = '/sitemap.xml', on = shop) => read((await on.call('GET', path)).text)
const paths = async (path?: string, on = shop) =>
  (await entries(path, on)).map(({ loc }) => (loc.startsWith(SITE) ? loc.slice(SITE.length) : `elsewhere: ${loc}`))

async function createTag(slug: string, enabled = true): Promise<void> {
  await shop.deps.db.insertInto('tags').values({ name: '<&>"\'', slug, enabled }).execute()
}

/** Builds with other limits than those of the protocol. */
async function build(limits: { addresses?: number; products?: number }) {
  return buildPublication(shop.deps, 'sitemap', sitemapPublication(limits), new AbortController().signal)
}

test('lists visible categories, tags and active products with any names', async () => {
  const { db } = shop.deps
  const open = await createCategory(db, { slug: 'open', name: '<b>&amp;]]></b> \u0001' })
  const hidden = await createCategory(db, { slug: 'hidden', enabled: false })
  await createCategory(db, { slug: 'below-hidden', parentId: hidden })
  await createCategory(db, { slug: 'auto-hidden', autoHidden: true })
  await createCategory(db, { slug: 'below-open', parentId: open })
  await createTag('sale')
  await createTag('off', false)
  await createProduct(db, { slug: 'first', categoryId: open, name: '"<&>\'\uFFFE' })
  // It can still be found and bought.
  await createProduct(db, { slug: 'second', categoryId: hidden, price: null })
  await createProduct(db, { slug: 'inactive', supplierActive: false })
  await createProduct(db, { slug: 'switched-off', activeOverride: false })
  await sql`update products set updated_at = '2026-05-01T10:00:00.123Z' where slug = 'first'`.execute(db)

  expect(await paths()).toEqual([
    '/categories/open',
    '/categories/below-open',
    '/tags/sale',
    '/products/second',
    '/products/first',
  ])
  expect((await entries()).at(-1)).toEqual({
    loc: `${SITE}/products/first`,
    lastmod: '2026-05-01T10:00:00.123Z',
  })
})

test.each([
  ['<url>', /close tag/],
  ['<url>a & b</url>', /unclosed tag/],
  ['<url>\u0001</url>', /disallowed character/],
])('rejects a sitemap that is not well-formed: %j', async (text, reason) => {
  const broken = {
    ...sitemapPublication(),
    async *content() {
      yield text
      yield CLOSING
    },
  }
  expect(await buildPublication(shop.deps, 'sitemap', broken, new AbortController().signal)).toMatchObject({
    status: 'REJECTED',
    reason: expect.stringMatching(reason),
  })
  expect(await shop.deps.db.selectFrom('publications').select('id').execute()).toEqual([])
})

test('is empty for an empty shop', async () => {
  expect(await entries()).toEqual([])
})

type Raw = { status: number | undefined; headers: Record<string, unknown>; bytes: Buffer }

/** An answer as it is on the wire: fetch would decompress it. */
function raw(method: string, headers: Record<string, string> = {}, path = '/sitemap.xml'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(shop.url + path, { method, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(pieces) }),
      )
    })
    sent.on('error', reject).end()
  })
}

test('built once for many at the same time; plain or gzip with an ETag, 304, HEAD', async () => {
  await createProduct(shop.deps.db, { slug: 'first' })
  const answers = await Promise.all(Array.from({ length: 10 }, () => raw('GET')))
  expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.etag}`)).size).toBe(1)
  expect(await shop.deps.db.selectFrom('publications').select('kind').execute()).toEqual([{ kind: 'sitemap' }])
  const [plain] = answers
  const packed = await raw('GET', { 'accept-encoding': 'gzip' })
  expect(gunzipSync(packed.bytes).equals(plain?.bytes ?? Buffer.alloc(0))).toBe(true)
  for (const { headers, bytes } of [plain, packed].filter((one) => one !== undefined)) {
    expect(headers).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'content-length': String(bytes.length),
      'cache-control': 'public, no-cache',
      vary: expect.stringMatching(/accept-encoding/i),
      'last-modified': expect.stringMatching(/ GMT$/),
    })
    const encoding: Record<string, string> = headers === packed.headers ? { 'accept-encoding': 'gzip' } : {}
    const head = await raw('HEAD', encoding)
    expect([head.status, head.bytes.length, head.headers.etag]).toEqual([200, 0, headers.etag])
    for (const method of ['GET', 'HEAD']) {
      const known = await raw(method, { ...encoding, 'if-none-match': String(headers.etag) })
      expect([known.status, known.bytes.length]).toEqual([304, 0])
    }
  }
  expect(packed.headers.etag).not.toBe(plain?.headers.etag)
  expect((await raw('GET', { 'if-modified-since': String(plain?.headers['last-modified']) })).status).toBe(304)
})

test('lists the newest products up to the limit', async () => {
  const { db } = shop.deps
  for (const slug of ['one', 'two', 'three']) await createProduct(db, { slug })
  expect(await build({ products: 2 })).toMatchObject({ status: 'PUBLISHED', entries: 2 })
  expect(await paths()).toEqual(['/products/three', '/products/two'])

  await createCategory(db, { slug: 'category' })
  await createTag('tag')
  expect(await build({ addresses: 3 })).toMatchObject({ status: 'PUBLISHED', entries: 3 })
  expect(await paths()).toEqual(['/categories/category', '/tags/tag', '/products/three'])
  expect(await build({ addresses: 3 })).toMatchObject({ status: 'UNCHANGED' })
  expect(await build({ addresses: 1 })).toMatchObject({ status: 'PUBLISHED', entries: 1 })
  expect(await paths()).toEqual(['/categories/category'])
})

test('responds 503 while it can’t be built', async () => {
  const { db } = shop.deps
  await sql`alter table publication_chunks add constraint broken check (false)`.execute(db)
  const answer = await shop.call('GET', '/sitemap.xml')
  expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
  expect(answer.headers.get('retry-after')).toBe('60')
  await sql`alter table publication_chunks drop constraint broken`.execute(db)
  expect(await entries()).toEqual([])
})

test('robots.txt opens the storefront, closes what is behind it, and leads to the sitemap', async () => {
  const answer = await shop.call('GET', '/robots.txt')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const [rules = '', sitemap] = answer.text.split('\n\n')
  expect(sitemap).toBe(`Sitemap: ${SITE}/sitemap.xml\n`)
  const [agent, ...lines] = rules.split('\n')
  expect([agent, lines[0]]).toEqual(['User-agent: *', 'Allow: /'])
  const closed = lines.slice(1).map((line) => /^Disallow: (\/\S+)$/.exec(line)?.[1] ?? '?')
  const isClosed = (path: string) => closed.some((beginning) => path.startsWith(beginning))
  const open = ['/', '/products/x', '/categories/x', '/tags/x', '/api/v1/products?tagId=1', '/sitemap.xml']
  expect(open.filter(isClosed)).toEqual([])
  const behind = ['/api/v1/admin/orders', '/admin/sync/run', '/api/v1/auth/login', '/api/v1/orders/1']
  expect(behind.filter(isClosed)).toEqual(behind)
})
