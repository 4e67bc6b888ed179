import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let other: TestShop
let editor: string
let buyer: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  editor = await loginAs(shop, 'EDITOR')
  buyer = await loginAs(shop, 'USER')
})
beforeEach(async () => {
  for (const table of ['reviews', 'banner_blocks', 'feature_items'] as const) {
    await shop.deps.db.deleteFrom(table).execute()
  }
  for (const { deps } of [shop, other]) {
    deps.caches.clear()
    deps.now = () => new Date()
  }
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const REVIEWS = '/api/v1/reviews'
const BANNERS = '/api/v1/banner-blocks'
const review = { author: 'Анна', rating: 5, text: 'Всё пришло вовремя', reviewDate: '2026-11-01' }
const banner = { title: 'Распродажа', linkUrl: '/sale' }
const feature = { title: 'Доставка за день' }
const nouns = [
  { path: REVIEWS, table: 'reviews', input: review, changed: { ...review, rating: 3 } },
  { path: BANNERS, table: 'banner_blocks', input: banner, changed: { ...banner, title: 'Скидки' } },
  {
    path: '/api/v1/feature-items',
    table: 'feature_items',
    input: feature,
    changed: { ...feature, title: 'Гарантия' },
  },
]

type Stored = { id: number; version: number; [field: string]: unknown }
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  shop.call(method, path, { token: editor, headers, ...(body === undefined ? {} : { body }) })
async function create(path: string, input: object): Promise<Stored> {
  const answer = await send('POST', path, input)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body as Stored
}
const active = async (path: string, on = shop) => (await on.call('GET', `${path}/active`)).body as Stored[]

// The compiler doesn't notice a kind of change that leaves a cached list as it is.
test('every list of active records is among these', () => {
  const lists = shop.app.declaredRoutes.filter(({ method, url }) => method === 'GET' && url.endsWith('/active'))
  expect(lists.map(({ url }) => url).toSorted()).toEqual(nouns.map(({ path }) => `${path}/active`).toSorted())
})

test.each(nouns)('$path: shows every write at once on all instances', async ({ path, input, changed }) => {
  expect(await active(path)).toEqual([])
  expect(await active(path, other)).toEqual([])
  const { id, version } = await create(path, input)
  expect(version).toBe(1)
  expect(await active(path)).toMatchObject([{ id, ...input }])
  await expect.poll(() => active(path, other), SOON).toMatchObject([{ id, ...input }])

  expect((await send('PUT', `${path}/${id}`, changed)).body).toMatchObject({ ...changed, version: 2 })
  expect(await active(path)).toMatchObject([changed])
  await expect.poll(() => active(path, other), SOON).toMatchObject([changed])
  expect((await send('GET', `${path}/${id}`)).body).toMatchObject({ id, ...changed, active: true })

  await send('PUT', `${path}/${id}`, { ...changed, active: false })
  expect(await active(path)).toEqual([])
  await expect.poll(() => active(path, other), SOON).toEqual([])
  expect((await send('DELETE', `${path}/${id}`)).status).toBe(204)
  for (const method of ['GET', 'DELETE']) expect((await send(method, `${path}/${id}`)).status).toBe(404)
  expect((await send('PUT', `${path}/${id}`, changed)).status).toBe(404)
})

test.each(nouns)('$path: rejects a write of an older version with 412', async ({ path, input, changed }) => {
  const { id } = await create(path, input)
  expect((await send('PUT', `${path}/${id}`, changed, { 'if-match': '"1"' })).status).toBe(200)
  for (const tag of ['"1"', 'W/"2"', '1', '"x"']) {
    expect(await send('PUT', `${path}/${id}`, input, { 'if-match': tag })).toMatchObject({
      status: 412,
      body: { code: 'STALE', current: { id, version: 2, ...changed } },
    })
    expect((await send('DELETE', `${path}/${id}`, undefined, { 'if-match': tag })).status).toBe(412)
  }
  expect((await send('PUT', `${path}/${id}`, input, { 'if-match': '*' })).body).toMatchObject({
    version: 3,
  })
  expect((await send('DELETE', `${path}/${id}`, undefined, { 'if-match': '"3"' })).status).toBe(204)
})

test.each(nouns)('$path: a write that changes nothing makes no open form stale', async ({ path, input }) => {
  const created = await create(path, input)
  expect((await send('PUT', `${path}/${created.id}`, input)).body).toEqual(created)
})

test.each(nouns)('$path: admits one of two concurrent writes of a version', async ({ path, table, input, changed }) => {
  const { id } = await create(path, input)
  const row = (trx: Trx) => sql`select from ${sql.table(table)} where id = ${id} for update`.execute(trx)
  const writes = await whileLocked(shop.deps.db, row, async () => {
    const pending = [1, 2].map(() => send('PUT', `${path}/${id}`, changed, { 'if-match': '"1"' }))
    await untilWaiting(shop.deps.db, pending.length)
    return pending
  })
  expect((await Promise.all(writes)).map(({ status }) => status).toSorted()).toEqual([200, 412])
})

test.each(nouns)('$path: shows the public only active records, and a USER no staff list', async ({ path, input }) => {
  await create(path, { ...input, active: false })
  const { id } = await create(path, input)
  const [shown, ...others] = await active(path)
  expect([shown?.id, others]).toEqual([id, []])
  const ofStaff = ['active', 'version', 'createdAt', 'updatedAt']
  expect(Object.keys(shown ?? {}).filter((field) => ofStaff.includes(field))).toEqual([])
  expect((await shop.call('GET', path, { token: buyer })).status).toBe(403)
  expect((await shop.call('GET', path)).status).toBe(401)
})

test.each(nouns)('$path: audits changes without version and times', async ({ path, input, changed }) => {
  const { id } = await create(path, input)
  await send('PUT', `${path}/${id}`, changed)
  await send('PUT', `${path}/${id}`, changed)
  const admin = await loginAs(shop, 'ADMIN')
  const { body } = await shop.call('GET', `/api/v1/admin/audit?entityId=${id}&size=2`, { token: admin })
  const { content } = body as { content: { action: string; after: object }[] }
  expect(content.map(({ action }) => action)).toEqual(['UPDATE', 'CREATE'])
  expect(Object.keys(content[0]?.after ?? {})).toHaveLength(1)
})

test('lists records by displayOrder', async () => {
  const last = await create('/api/v1/feature-items', { ...feature, displayOrder: 5 })
  const first = await create('/api/v1/feature-items', { ...feature, displayOrder: -1 })
  expect((await active('/api/v1/feature-items')).map(({ id }) => id)).toEqual([first.id, last.id])
  const all = (await send('GET', '/api/v1/feature-items')).body as Stored[]
  expect(all.map(({ id }) => id)).toEqual([first.id, last.id])
})

test('cuts a time to milliseconds instead of rounding it beyond the last year', async () => {
  const last = { ...banner, activeTo: '9999-12-31T23:59:59.9999999Z' }
  expect(await create(BANNERS, last)).toMatchObject({ activeTo: '9999-12-31T23:59:59.999Z' })
})

test('shows a banner only within its period', async () => {
  const window = { activeFrom: '2030-01-01T10:00:00Z', activeTo: '2030-01-02T10:00:00+00:00' }
  const { id } = await create(BANNERS, { ...banner, ...window })
  const at = async (time: string) => {
    shop.deps.now = () => new Date(time)
    shop.deps.caches.clear()
    return (await active(BANNERS)).map((shown) => shown.id)
  }
  expect(await at('2030-01-01T09:59:59.999Z')).toEqual([])
  expect(await at('2030-01-01T10:00:00Z')).toEqual([id])
  expect(await at('2030-01-02T09:59:59.999Z')).toEqual([id])
  expect(await at('2030-01-02T10:00:00Z')).toEqual([])
  const early = { ...banner, activeTo: '2030-01-01T10:00:00Z' }
  expect(await send('PUT', `${BANNERS}/${id}`, early)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'activeTo' }] },
  })
  const late = { ...banner, activeFrom: '2030-01-02T10:00:00Z' }
  expect((await send('PUT', `${BANNERS}/${id}`, late)).status).toBe(400)
  expect((await send('PUT', `${BANNERS}/${id}`, { ...early, activeFrom: null })).status).toBe(200)
})

test.each([
  [REVIEWS, { ...review, rating: 6 }, 'rating'],
  [REVIEWS, { ...review, author: '  ' }, 'author'],
  [REVIEWS, { ...review, reviewDate: '2026-02-30' }, 'reviewDate'],
  [REVIEWS, { ...review, productId: 2_000_000_000 }, 'productId'],
  [BANNERS, { ...banner, imageId: 2_000_000_000 }, 'imageId'],
  [BANNERS, { ...banner, linkUrl: 'http:evil.example' }, 'linkUrl'],
  ['/api/v1/feature-items', { ...feature, linkUrl: '/\t/evil.example' }, 'linkUrl'],
  [BANNERS, { ...banner, activeFrom: '2030-01-02T00:00:00Z', activeTo: '2030-01-01T00:00:00Z' }, 'activeTo'],
  ...[
    ...['soon', '2030-02-30T00:00:00Z', '2030-01-01T00:00:00', '2016-12-31T23:59:60Z', '2030-01-01T00:00:00+03'],
    ...['9999-12-31T23:59:59-00:01', '0001-01-01T00:00:00+00:01', '0000-06-01T00:00:00Z'],
  ].map((activeFrom): [string, object, string] => [BANNERS, { ...banner, activeFrom }, 'activeFrom']),
  [BANNERS, { ...banner, activeTo: '9999-12-31T23:59:59-23:59' }, 'activeTo'],
  [REVIEWS, { ...review, reviewDate: '0000-01-01' }, 'reviewDate'],
  ['/api/v1/feature-items', { ...feature, imageId: 2_000_000_000 }, 'imageId'],
  ['/api/v1/feature-items', { title: '' }, 'title'],
])('%s rejects %j and names %s', async (path, body, field) => {
  expect(await send('POST', path, body)).toMatchObject({
    status: 400,
    body: {
      code: 'VALIDATION_FAILED',
      details: expect.arrayContaining([expect.objectContaining({ path: field })]),
    },
  })
  expect(((await send('GET', path)).body as { content?: [] }).content ?? []).toEqual([])
})

test('keeps absent fields and clears blank ones', async () => {
  const input = { ...banner, subtitle: ' Только сегодня ', position: 'top' }
  const { id, ...stored } = await create(BANNERS, input)
  expect(stored).toMatchObject({ subtitle: 'Только сегодня', position: 'top' })
  const { body } = await send('PUT', `/api/v1/banner-blocks/${id}`, {
    title: 'Новое',
    subtitle: '',
    linkUrl: null,
  })
  expect(body).toMatchObject({ title: 'Новое', subtitle: null, linkUrl: null, position: 'top' })
})

test('filters and sorts reviews, and keeps those of a deleted product', async () => {
  const productId = await createProduct(shop.deps.db)
  const low = await create(REVIEWS, { ...review, rating: 1, productId })
  const high = await create(REVIEWS, { ...review, rating: 5, active: false })
  const ids = async (query: string) =>
    ((await send('GET', `${REVIEWS}?${query}`)).body as { content: Stored[] }).content.map(({ id }) => id)
  expect(await ids('sort=rating,desc')).toEqual([high.id, low.id])
  expect(await ids('active=true')).toEqual([low.id])
  expect(await ids(`productId=${productId}`)).toEqual([low.id])
  expect((await send('GET', `${REVIEWS}?sort=text`)).status).toBe(400)
  await shop.deps.db.deleteFrom('products').where('id', '=', productId).execute()
  expect((await send('GET', `${REVIEWS}/${low.id}`)).body).toMatchObject({ productId: null })
})
