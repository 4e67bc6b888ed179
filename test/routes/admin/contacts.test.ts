import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listContacts } from '../../../db/queries/contacts/contacts.ts'
import type { ContactRequest } from '../../../src/schemas/contacts.ts'
import type { Page } from '../../../src/schemas/lists.ts'
import { loginAs } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { overhear, readsOf } from '../../support/statements.ts'

const PATH = '/api/v1/admin/contacts'
let shop: TestShop
let token: string

beforeAll(async () => {
  shop = await startTestShop()
  token = await loginAs(shop, 'MANAGER')
})
afterAll(() => shop.close())
beforeEach(async () => {
  await sql`truncate contact_requests restart identity`.execute(shop.deps.db)
})

type Input = { name?: string; phone?: string; email?: string; message?: string; status?: 'NEW' | 'CLOSED' }

async function create(input: Input = {}): Promise<number> {
  const values = { name: 'Анна', phone: '+7 (900) 123-45-67', message: 'Вопрос', ...input }
  const { id } = await shop.deps.db
    .insertInto('contact_requests')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const call = (method: string, path: string, body?: unknown) => shop.call(method, PATH + path, { token, body })

async function idsOf(query: string): Promise<number[]> {
  const { status, text } = await call('GET', query)
  expect(status).toBe(200)
  const page: Page<ContactRequest> = JSON.parse(text)
  return page.content.map(({ id }) => id)
}

test('lists requests in pages, the newest first', async () => {
  const ids: number[] = []
  for (let n = 0; n < 5; n++) ids.push(await create())
  // All at the same moment: the id decides.
  await sql`update contact_requests set created_at = '2026-01-01T00:00:00Z'`.execute(shop.deps.db)
  const { body } = await call('GET', '?size=2')
  expect(body).toMatchObject({
    totalElements: 5,
    totalPages: 3,
    number: 0,
    size: 2,
    first: true,
    last: false,
  })
  const pages = [await idsOf('?size=2'), await idsOf('?size=2&page=1'), await idsOf('?size=2&page=2')]
  expect(pages.flat()).toEqual(ids.toReversed())
  expect(await idsOf('?size=2&page=3')).toEqual([])
})

test('sorts by every documented field, in both directions', async () => {
  const first = await create({ name: 'Б', status: 'CLOSED' })
  const second = await create({ name: 'А' })
  await call('PUT', `/${first}/notes`, { notes: 'x' })
  for (const [field, ascending] of [
    ['id', [first, second]],
    ['createdAt', [first, second]],
    ['updatedAt', [second, first]],
    ['name', [second, first]],
    ['status', [first, second]],
  ] as const) {
    expect(await idsOf(`?sort=${field},asc`)).toEqual(ascending)
    expect(await idsOf(`?sort=${field},desc`)).toEqual(ascending.toReversed())
  }
  for (const sort of ['phone', 'created_at', 'id,up', 'id;drop', 'search_text']) {
    const answer = await call('GET', `?sort=${encodeURIComponent(sort)}`)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('createdAt, updatedAt, name, status, id')
  }
})

test('searches name, phone, email and message in any case; % and _ are ordinary', async () => {
  const anna = await create({ name: 'Анна Ёлкина', email: 'anna_x@example.test', message: 'Скидка 100%?' })
  const boris = await create({ name: 'Борис', phone: '8 495 765 43 21', message: 'annaXx\\path' })
  const search = (text: string) => idsOf(`?sort=id&search=${encodeURIComponent(text)}`)
  expect(await search('ЁЛКИНА')).toEqual([anna])
  expect(await search('анна  ёлкина')).toEqual([anna])
  expect(await search('елкина')).toEqual([anna])
  expect(await search('(900) 123')).toEqual([anna])
  for (const phone of ['79001234567', '89001234567', '8 900 123-45-67', '+7-900-123-45-67'])
    expect(await search(phone), phone).toEqual([anna])
  expect(await search('4957654321')).toEqual([boris])
  expect(await search('ANNA_X')).toEqual([anna])
  expect(await search('100%')).toEqual([anna])
  expect(await search('%')).toEqual([anna])
  expect(await search('\\')).toEqual([boris])
  expect(await search("'")).toEqual([])
  expect(await search('  ')).toEqual([anna, boris])
})

test('filters by status', async () => {
  await create()
  const closed = await create({ status: 'CLOSED' })
  expect(await idsOf('?status=CLOSED')).toEqual([closed])
  expect(await idsOf('?status=CLOSED&search=nobody')).toEqual([])
  for (const query of ['?status=CLOSED,READ', '?status=READ&status=CLOSED'])
    expect(await idsOf(query)).toEqual([closed])
})

test.each([
  '?status=closed',
  '?page=-1',
  '?size=101',
  '?size=0',
  '?page=x',
  `?search=${'x'.repeat(201)}`,
  '?search=%00',
])('rejects %s with 400', async (query) => {
  expect((await call('GET', query)).status).toBe(400)
})

test('updates status and notes of a request', async () => {
  const id = await create()
  const { body: before } = await call('GET', `/${id}`)
  for (const status of ['READ', 'IN_PROGRESS', 'CLOSED', 'NEW', 'CLOSED']) {
    const answer = await call('PUT', `/${id}/status`, { status, notes: 'not here' })
    expect([answer.status, answer.body]).toMatchObject([200, { id, status, notes: null }])
  }
  const noted = await call('PUT', `/${id}/notes`, { notes: '  Звонили\nдважды ', status: 'NEW' })
  expect(noted.body).toMatchObject({ notes: 'Звонили\nдважды', status: 'CLOSED' })
  const { body: after } = await call('GET', `/${id}`)
  expect(after).toEqual(noted.body)
  expect(after).toMatchObject({ createdAt: Object(before).createdAt })
  expect(Object(after).updatedAt > Object(before).updatedAt).toBe(true)
  for (const notes of ['', ' ', null]) {
    await call('PUT', `/${id}/notes`, { notes: 'again' })
    expect((await call('PUT', `/${id}/notes`, { notes })).body).toMatchObject({ notes: null })
  }
})

test.each([
  ['status', undefined],
  ['status', {}],
  ['status', { status: 'DONE' }],
  ['status', { status: null }],
  ['notes', undefined],
  ['notes', {}],
  ['notes', { notes: 3 }],
  ['notes', { notes: 'x'.repeat(10_001) }],
  ['notes', { notes: 'a\u0000' }],
])('rejects PUT %s %j with 400', async (what, body) => {
  const id = await create()
  expect((await call('PUT', `/${id}/${what}`, body)).status).toBe(400)
})

test('responds 404 to unknown ids', async () => {
  for (const id of ['1', '0', '2147483648', '99999999999999999999']) {
    expect((await call('GET', `/${id}`)).status).toBe(404)
    expect((await call('DELETE', `/${id}`)).status).toBe(404)
    expect((await call('PUT', `/${id}/status`, { status: 'READ' })).status).toBe(404)
    expect((await call('PUT', `/${id}/notes`, { notes: '' })).status).toBe(404)
  }
})

test('deletes one request or several', async () => {
  const ids: number[] = []
  for (let n = 0; n < 5; n++) ids.push(await create())
  const [a, b, c, d, e] = ids
  expect(await call('DELETE', `/${a}`)).toMatchObject({ status: 204, text: '' })
  expect((await call('DELETE', `/${a}`)).status).toBe(404)
  expect(await call('DELETE', `?ids=${b},${c},${b},999`)).toMatchObject({ status: 204, text: '' })
  expect(await idsOf('?sort=id')).toEqual([d, e])
  expect((await call('DELETE', '?ids=999')).status).toBe(204)
  const many = Array.from({ length: 1000 }, (_, n) => 2_147_482_000 + n).join(',')
  expect((await call('DELETE', `?ids=${many}`)).status).toBe(204)
})

test('audits who handled a request, and what was deleted', async () => {
  const [id, other, third] = [await create(), await create(), await create({ name: 'Семён' })]
  await call('PUT', `/${id}/status`, { status: 'READ' })
  await call('PUT', `/${id}/status`, { status: 'READ' })
  await call('PUT', `/${id}/notes`, { notes: 'Перезвонить' })
  await call('DELETE', `?ids=${other},${third},999`)
  await call('DELETE', `/${id}`)
  const admin = await loginAs(shop, 'ADMIN')
  const { body } = await shop.call('GET', '/api/v1/admin/audit?entity=CONTACT&size=5', { token: admin })
  const deleted = {
    name: 'Анна',
    phone: '+7 (900) 123-45-67',
    email: null,
    message: 'Вопрос',
    status: 'NEW',
    notes: null,
  }
  expect(Object(body).content.reverse()).toMatchObject([
    { entityId: `${id}`, action: 'UPDATE', before: { status: 'NEW' }, after: { status: 'READ' } },
    { entityId: `${id}`, action: 'UPDATE', before: { notes: null }, after: { notes: 'Перезвонить' } },
    { entityId: `${other}`, action: 'DELETE', before: deleted, actorEmail: expect.stringMatching(/manager/i) },
    { entityId: `${third}`, action: 'DELETE', before: { ...deleted, name: 'Семён' } },
    { entityId: `${id}`, action: 'DELETE', before: { ...deleted, status: 'READ', notes: 'Перезвонить' } },
  ])
})

test.each(['', '?ids=', '?ids=,', '?ids=1,x', '?ids=0', '?ids=2147483648', '?ids=-1', '?ids=1&ids=x', '?id=1'])(
  'rejects DELETE %s with 400 and deletes nothing',
  async (query) => {
    await create()
    expect((await call('DELETE', query)).status).toBe(400)
    expect(await idsOf('')).toHaveLength(1)
  },
)

test('searches many requests by the index', async () => {
  await sql`
    insert into contact_requests (name, phone, message)
    select 'Покупатель ' || md5(n::text), '+7 900 ' || n, repeat(md5(n::text) || ' ', 10)
    from generate_series(1, 6000) n`.execute(shop.deps.db)
  await sql`vacuum analyze contact_requests`.execute(shop.deps.db)
  const database = overhear(shop.deps.config.databaseUrl)
  const plansOf = (status: 'NEW' | undefined, searchTexts: string[], page = 0) =>
    database.plansOf((db) =>
      listContacts(
        db,
        { statuses: status && [status], searchTexts },
        { field: 'createdAt', descending: true },
        { page, size: 20 },
      ),
    )
  // Behind the last page, which would reveal the total.
  const found = await plansOf(undefined, ['9001234'], 9)
  expect(found).toHaveLength(2)
  for (const plan of found) expect(readsOf(plan)).toContain('Bitmap Index Scan contact_requests_search_text')
  const [newest] = await plansOf('NEW', [])
  // The page comes from an index in its order; all requests are new, so counting them reads all of the table or an index.
  expect(newest?.map(({ type }) => type)).toEqual([
    ...['Limit', 'Aggregate', 'Index Scan'],
    expect.stringMatching(/^(Seq|Index Only) Scan$/),
  ])
  await database.close()
})
