import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockQuantities } from '../../../db/queries/stock/reservations.ts'
import type { Order } from '../../../src/schemas/orders.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { availableOf, beginSubmissions, orderDetails, placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// The lists of staff, bulk delete among them. Moscow is three hours ahead of UTC.
let shop: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0', SHOP_TIME_ZONE: 'Europe/Moscow' })
  admin = await loginAs(shop, 'ADMIN')
  productId = await createProduct(shop.deps.db, { stock: 9999 })
})
afterAll(() => shop.close())

const order = (fields: Record<string, unknown> = {}, token?: string) =>
  placeOrder(shop, [{ productId, quantity: 1 }], { fields, ...(token === undefined ? {} : { token }) })
const get = (path: string) => shop.call('GET', path, { token: admin })
const list = async (query: Record<string, string>) =>
  (await get(`/api/v1/admin/orders?${new URLSearchParams({ size: '100', ...query })}`)).body as {
    content: Order[]
    totalElements: number
  }
const ids = async (query: Record<string, string>) => (await list(query)).content.map(({ id }) => id)

async function placedAt(moment: string): Promise<number> {
  const { id } = await order()
  await shop.deps.db
    .updateTable('orders')
    .set({ created_at: new Date(moment) })
    .where('id', '=', id)
    .execute()
  return id
}

test('lists complete orders with items, newest first', async () => {
  const first = await order()
  const second = await order()
  const { content } = await list({})
  expect(content.slice(0, 2)).toMatchObject(
    [second, first].map((placed) => ({ ...placed, adminComment: null, submitError: null, version: 1 })),
  )
})

test('lists the order of a number before phones with the same digits', async () => {
  const numbered = await order()
  const others = [await order(), await order({ customerPhone: `89${numbered.number}` })]
  const searched = await ids({ search: numbered.number })
  expect(searched).toEqual([numbered.id, others[1]?.id])
  expect(await ids({ search: numbered.number, sort: 'id,desc' })).toEqual([others[1]?.id, numbered.id])
  expect((await ids({ search: ` ${numbered.id} ` }))[0]).toBe(numbered.id)
  expect(await ids({ search: '99999999999' })).toEqual([])
})

test('finds the one order that a search names as mails do, and none that cannot be', async () => {
  const { id, number } = await order()
  await order({ customerPhone: `89${number}0` })
  for (const search of [`№ ${number}`, `Заказ № ${number}`, `order ${number}`, `#${id}`])
    expect([search, await ids({ search })]).toEqual([search, [id]])
  for (const search of ['#0', '№ 99999999999', '#']) expect([search, await ids({ search })]).toEqual([search, []])
})

test('searches number, name, phone and email literally', async () => {
  const yolka = await order({ customerName: 'СЕМЁН Ёжиков', customerPhone: '8 (495) 111-22-33' })
  const percent = await order({ customerName: '100% \\Name_x', customerEmail: 'Boss+A@Example.test' })
  const accented = await order({ customerName: 'Łucja Müller ΣΟΦΊΑ' })
  const found: [string, number[]][] = [
    ['семен ёж', [yolka.id]],
    ['  ЕЖИКОВ ', [yolka.id]],
    ['+8 495 111', [yolka.id]],
    ['84951112233', [yolka.id]],
    ['(495) 111-22-33', [yolka.id]],
    ['0%', [percent.id]],
    ['e_x', [percent.id]],
    ['boss+a@', [percent.id]],
    ['%%', []],
    ['n%x', []],
    ['N_m', []],
    ['\\', [percent.id]],
    [yolka.number, [yolka.id]],
    ['СЕМЁН \n Ёжиков', [yolka.id]],
    ['ŁUCJA MÜLLER', [accented.id]],
    ['σοφία', [accented.id]],
  ]
  for (const [search, expected] of found) expect([search, await ids({ search })]).toEqual([search, expected])
  expect((await ids({ search: '  ' })).length).toBeGreaterThan(1)
  expect((await get(`/api/v1/admin/orders?search=${'x'.repeat(201)}`)).status).toBe(400)
})

test("filters by days of the shop's calendar or by timestamps, both inclusive", async () => {
  const before = await placedAt('2020-03-09T20:59:59.999Z')
  const midnight = await placedAt('2020-03-09T21:00:00.000Z')
  const evening = await placedAt('2020-03-10T20:59:59.999Z')
  const next = await placedAt('2020-03-10T21:00:00.000Z')
  const found: [Record<string, string>, number[]][] = [
    [{ dateFrom: '2020-03-10', dateTo: '2020-03-10' }, [evening, midnight]],
    [{ dateFrom: '2020-03-09', dateTo: '2020-03-09' }, [before]],
    [{ dateFrom: '2020-03-09', dateTo: '2020-03-11' }, [next, evening, midnight, before]],
    [{ dateFrom: '2020-03-09T21:00:00Z', dateTo: '2020-03-10T20:59:59.999Z' }, [evening, midnight]],
    [{ dateFrom: '2020-03-10T00:00:00+03:00', dateTo: '2020-03-10T00:00:00+03:00' }, [midnight]],
    [{ dateFrom: '2020-03-10T00:00:00', dateTo: '2020-03-10T00:00:00' }, [midnight]],
    [{ dateTo: '2020-03-09' }, [before]],
    [{ dateFrom: '2020-03-12', dateTo: '2020-03-09' }, []],
  ]
  for (const [query, expected] of found) expect([query, await ids(query)]).toEqual([query, expected])
})

test.each([
  ['dateFrom=yesterday', 'querystring.dateFrom'],
  ['dateFrom=2020-02-30', 'querystring.dateFrom'],
  ['dateTo=2020-13-01', 'querystring.dateTo'],
  ['dateTo=2020-01-01T25:00:00Z', 'querystring.dateTo'],
  ['dateTo=0000-01-01', 'querystring.dateTo'],
  ['status=LOST', 'querystring.status'],
  ['status=NEW,LOST', 'querystring.status'],
  ['status=NEW,', 'querystring.status'],
  ['userId=0', 'querystring.userId'],
  ['sort=customerName', 'querystring.sort'],
  ['sort=id,up', 'querystring.sort'],
  ['page=-1', 'querystring.page'],
  ['size=0', 'querystring.size'],
  ['size=101', 'querystring.size'],
  ['search=%00', 'querystring.search'],
])('rejects %s with 400 and names it', async (query, path) => {
  const answer = await get(`/api/v1/admin/orders?${query}`)
  expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path }] }])
})

test('filters by status, and sorts without repeating or skipping orders across pages', async () => {
  const made: number[] = []
  for (let n = 0; n < 7; n++) made.push(await placedAt('2019-05-05T12:00:00Z'))
  for (const id of made.slice(0, 3)) {
    await shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status: 'COMPLETED' } })
  }
  const day = { dateFrom: '2019-05-05', dateTo: '2019-05-05' }
  expect(await ids({ ...day, status: 'COMPLETED' })).toEqual(made.slice(0, 3).toReversed())
  expect(await ids({ ...day, status: 'COMPLETED,SENT,COMPLETED' })).toHaveLength(3)
  expect(await ids({ ...day, status: 'COMPLETED, NEW' })).toEqual(made.toReversed())
  expect(await ids({ ...day, sort: 'id' })).toEqual(made)
  expect(await ids({ ...day, sort: 'status' })).toEqual(made)
  for (const [index, id] of made.entries()) {
    const deliveryCost = [30, 10, 20, 0, 0, 5, 40][index]
    await shop.call('PATCH', `/api/v1/admin/orders/${id}/delivery-cost`, {
      token: admin,
      body: { deliveryCost },
    })
  }
  const byTotal = [3, 4, 5, 1, 2, 0, 6].map((index) => made[index])
  expect(await ids({ ...day, sort: 'total' })).toEqual(byTotal)
  expect(await ids({ ...day, sort: 'total,desc' })).toEqual(byTotal.toReversed())
  for (const sort of ['createdAt', 'createdAt,desc', 'id,desc', 'status,desc', 'total']) {
    const pages = []
    for (let page = 0; page < 4; page++) {
      pages.push(...(await ids({ ...day, sort, size: '2', page: String(page) })))
    }
    expect([sort, pages.toSorted((a, b) => a - b)]).toEqual([sort, made])
  }
  expect(await list({ ...day, page: '1000000' })).toMatchObject({ content: [], totalElements: 7 })
})

test("lists a user's orders and responds 404 to an unknown user", async () => {
  const user = await createUser(shop, 'USER')
  const mine = await order({}, shop.app.signToken(user))
  await order()
  expect(await ids({ userId: `${user.id}` })).toEqual([mine.id])
  const answer = await get(`/api/v1/admin/users/${user.id}/orders`)
  expect(answer.body).toMatchObject({
    content: [{ id: mine.id, userId: user.id, adminComment: null }],
    totalElements: 1,
    totalPages: 1,
    first: true,
    last: true,
  })
  const idle = await createUser(shop, 'USER')
  expect((await get(`/api/v1/admin/users/${idle.id}/orders`)).body).toMatchObject({
    content: [],
    totalElements: 0,
  })
  expect((await get('/api/v1/admin/users/2147483647/orders')).status).toBe(404)
  const manager = await loginAs(shop, 'MANAGER')
  expect((await shop.call('GET', `/api/v1/admin/users/${user.id}/orders`, { token: manager })).status).toBe(403)
})

const BULK = '/api/v1/admin/orders/bulk-delete'

test.each([
  '',
  '?days=0',
  '?days=-1',
  '?days=x',
  '?days=1.5',
  '?days=36501',
  '?days=1e999',
  '?days=1&status=LOST',
  '?days=1&status=',
])('rejects a bulk delete with "%s" with 400', async (query) => {
  const { id } = await order()
  await shop.deps.db
    .updateTable('orders')
    .set({ created_at: new Date('1990-01-01Z') })
    .where('id', '=', id)
    .execute()
  expect((await get(`${BULK}/preview${query}`)).status).toBe(400)
  expect((await shop.call('DELETE', BULK + query, { token: admin })).status).toBe(400)
  expect((await orderDetails(shop, admin, id)).id).toBe(id)
  await shop.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
})

test('deletes the previewed orders of one status or of all, except those being submitted', async () => {
  const { db } = shop.deps
  const old: number[] = []
  for (let n = 0; n < 5; n++) old.push(await placedAt('2001-01-01T00:00:00Z'))
  const [cancelled = 0, submitting = 0] = old
  await shop.call('PATCH', `/api/v1/admin/orders/${cancelled}`, {
    token: admin,
    body: { status: 'CANCELLED' },
  })
  const days = Math.floor((Date.now() - Date.parse('2001-01-01T12:00:00Z')) / 86_400_000)
  const preview = async (query: string) => (await get(`${BULK}/preview?days=${days}${query}`)).body
  expect(await preview('')).toEqual({ count: 5, before: expect.stringMatching(/^2001-01-0[12]T.*Z$/) })
  expect(await preview('&status=CANCELLED')).toMatchObject({ count: 1 })
  expect(await preview('&status=SENT')).toMatchObject({ count: 0 })

  const remove = async (query: string) =>
    (await shop.call('DELETE', `${BULK}?days=${days}${query}`, { token: admin })).body
  expect(await remove('&status=CANCELLED')).toEqual({ deleted: 1 })
  const endSubmission = await beginSubmissions(shop, submitting)
  expect(await remove('')).toEqual({ deleted: 3 })
  await endSubmission()
  expect(await ids({ dateTo: '2001-01-02' })).toEqual([submitting])
  expect(await remove('')).toEqual({ deleted: 1 })
  const logged = await db
    .selectFrom('audit_log')
    .select(['entity_id', 'before'])
    .where('action', '=', 'DELETE')
    .where('entity_id', '=', String(cancelled))
    .execute()
  expect(logged).toMatchObject([{ before: { status: 'CANCELLED', createdAt: '2001-01-01T00:00:00.000Z' } }])
})

test('deletes thousands of old orders at once, except those being submitted', async () => {
  const { db } = shop.deps
  const values = Array.from({ length: 1201 }, () => ({
    customer_name: 'Old',
    customer_phone: '123',
    created_at: new Date('2002-01-01T00:00:00Z'),
  }))
  const old = (await db.insertInto('orders').values(values).returning('id').execute()).map(({ id }) => id)
  const left = async () =>
    (await db.selectFrom('orders').select('id').where('id', 'in', old).orderBy('id').execute()).map(({ id }) => id)
  // The first and the last of the first five hundred.
  const submitting = [old[0] ?? 0, old[499] ?? 0]
  const days = Math.floor((Date.now() - Date.parse('2002-01-02T00:00:00Z')) / 86_400_000)
  const remove = () => shop.call('DELETE', `${BULK}?days=${days}`, { token: admin })
  const endSubmissions = await beginSubmissions(shop, ...submitting)
  const answer = await remove()
  expect([answer.status, answer.body]).toEqual([200, { deleted: 1199 }])
  expect(await left()).toEqual(submitting)
  await endSubmissions()
  expect((await remove()).body).toEqual({ deleted: 2 })
})

test('does not delete an old order that is reopened concurrently', async () => {
  const { db } = shop.deps
  const scarce = await createProduct(db, { stock: 1 })
  const { id } = await placeOrder(shop, [{ productId: scarce, quantity: 1 }])
  await db
    .updateTable('orders')
    .set({ created_at: new Date('2003-01-01T00:00:00Z') })
    .where('id', '=', id)
    .execute()
  const change = (status: string) =>
    shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status } })
  await change('CANCELLED')
  const days = Math.floor((Date.now() - Date.parse('2003-01-02T00:00:00Z')) / 86_400_000)
  const { reopened, deleted } = await whileLocked(
    db,
    (trx) => lockQuantities(trx, [scarce]),
    async () => {
      // Has the order, and waits for the product.
      const reopened = change('NEW')
      await untilWaiting(db)
      const deleted = shop.call('DELETE', `${BULK}?days=${days}&status=CANCELLED`, { token: admin })
      await untilWaiting(db, 2)
      return { reopened, deleted }
    },
  )
  expect((await reopened).status).toBe(200)
  expect((await deleted).body).toEqual({ deleted: 0 })
  expect(await orderDetails(shop, admin, id)).toMatchObject({ status: 'NEW', items: [{ productId: scarce }] })
  expect(await availableOf(shop, scarce)).toBe(0)
})
