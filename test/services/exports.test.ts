import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../db/database.ts'
import type { Order } from '../../src/schemas/orders.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { whileLocked } from '../support/locks.ts'
import { placeOrder } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// docs/orders.md, "Exports".
let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

type Line = Record<string, string>
const get = (path: string) => shop.call('GET', `/api/v1/admin/${path}`, { token: admin })
async function linesOf(path: string, delimiter = ';'): Promise<Line[]> {
  const { status, text: csv, headers } = await get(path)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  return parse(csv, { delimiter, bom: true, columns: true }) as Line[]
}

test('exports orders with a line for each item, as the list filters and sorts them', async () => {
  const { db } = shop.deps
  const productId = await createProduct(db, { name: 'Дрель "Вектор"; синяя', price: '10.50' })
  const place = (fields: object, quantities: number[]) =>
    placeOrder(
      shop,
      quantities.map((quantity, n) => ({ productId: productId + n, quantity })),
      { fields: { ...fields } },
    )
  await createProduct(db, { price: '0.10' })
  const first = await place({ customerName: '=cmd()', comment: 'раз\nдва' }, [2, 1])
  const second = await place({ customerName: 'Ольга' }, [1])
  await shop.call('PATCH', `/api/v1/admin/orders/${second.id}`, { token: admin, body: { status: 'SENT' } })

  const { headers, text: csv } = await get('orders/export')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="orders-\d{4}-\d\d-\d\d\.csv"$/)
  expect([csv.startsWith('id;number;status;'), headers.get('cache-control')]).toEqual([true, 'no-store'])
  const lines = await linesOf('orders/export?sort=id')
  expect(lines.map(({ id }) => Number(id))).toEqual([first.id, first.id, second.id])
  const newestFirst = await linesOf('orders/export')
  expect(newestFirst.map(({ id }) => Number(id))).toEqual([second.id, first.id, first.id])
  expect(lines[0]).toMatchObject({
    number: first.number,
    status: 'NEW',
    customerName: "'=cmd()",
    customerPhone: "'+7 (900) 123-45-67",
    comment: 'раз\nдва',
    total: '21.1',
    productName: 'Дрель "Вектор"; синяя',
    priceAtOrder: '10.5',
    quantity: '2',
    lineTotal: '21',
  })
  expect((await linesOf('orders/export?status=SENT&delimiter=,', ',')).map(({ id }) => id)).toEqual([`${second.id}`])
  expect(await linesOf('orders/export?search=nobody')).toEqual([])
  expect((await get('orders/export?delimiter=x')).status).toBe(400)
  expect((await get('orders/export?sort=x')).status).toBe(400)
})

test('begins with the mark of UTF-8', async () => {
  const answer = await fetch(`${shop.url}/api/v1/admin/contacts/export`, {
    headers: { authorization: `Bearer ${admin}` },
  })
  expect([...new Uint8Array(await answer.arrayBuffer()).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
})

test('exports contact requests and products', async () => {
  const { db } = shop.deps
  const contact = { name: 'Анна', phone: '+7 900 123-45-67', message: '-1' }
  await db
    .insertInto('contact_requests')
    .values([contact, { ...contact, status: 'CLOSED' }])
    .execute()
  const [done, ...others] = await linesOf('contacts/export?status=CLOSED')
  expect([done, others]).toMatchObject([{ name: 'Анна', message: "'-1", status: 'CLOSED', notes: '' }, []])

  const categoryId = await createCategory(db, { name: 'Пилы', enabled: false })
  const brandId = await createBrand(db, 'Полюс')
  const ids: number[] = []
  // More than a batch.
  for (let n = 0; n < 205; n++) ids.push(await createProduct(db, { categoryId, brandId, name: `Пила ${n}` }))
  await db
    .updateTable('products')
    .set({ active_override: false })
    .where('id', '=', ids[3] ?? 0)
    .execute()
  shop.deps.caches.clear()
  const products = await linesOf(`products/export?categoryId=${categoryId}&sort=id,desc`)
  expect(products.map(({ id }) => Number(id))).toEqual(ids.toReversed())
  expect(products.at(-4)).toMatchObject({
    name: 'Пила 3',
    active: 'false',
    category: 'Пилы',
    brand: 'Полюс',
    price: '100',
  })
})

/** An export of which nothing is read after the headers. */
async function stalledExport(path: string): Promise<{ rest(): Promise<string>; close(): void }> {
  const asked = request(`${shop.url}/api/v1/admin/${path}`, { headers: { authorization: `Bearer ${admin}` } })
  asked.end()
  const [answer] = await once(asked, 'response')
  return {
    rest: () => text(answer),
    close: () => void asked.destroy(),
  }
}

test('holds no connection while a client does not read', async () => {
  const { db } = shop.deps
  const order = await placeOrder(shop, [{ productId: await createProduct(db), quantity: 1 }])
  // More than fits into the buffers between the two ends.
  await sql`
    insert into orders (customer_name, customer_phone, comment)
    select 'Анна', '+7 900 123-45-67', repeat('комментарий ', 160) from generate_series(1, 6000)`.execute(db)
  await sql`
    insert into order_items (order_id, product_name, price_at_order, quantity)
    select id, 'Дрель', 1, 1 from orders where id > ${order.id}`.execute(db)
  const stalled = await stalledExport('orders/export')
  await expect.poll(() => shop.deps.poolCounts().total - shop.deps.poolCounts().idle).toBe(0)
  stalled.close()
  const orders = await get('orders?size=1')
  expect((orders.body as { totalElements: number }).totalElements).toBeGreaterThan(6000)
})

test('leaves out records deleted while it runs', async () => {
  const { body } = await get('orders?size=100&sort=id,desc')
  const [newest] = (body as { content: Order[] }).content
  const stalled = await stalledExport('orders/export?sort=id')
  expect((await shop.call('DELETE', `/api/v1/admin/orders/${newest?.id}`, { token: admin })).status).toBe(204)
  const lines = [...(await stalled.rest()).matchAll(/^(\d+);/gm)].map(([, id]) => Number(id))
  expect([lines.length > 6000, lines.at(-1)]).toEqual([true, (newest?.id ?? 0) - 1])
})

test('reads no records for a HEAD', async () => {
  const lines = (trx: Trx) => sql`lock table order_items`.execute(trx)
  await whileLocked(shop.deps.db, lines, async () => {
    for (let n = 0; n < 3; n++) {
      const head = await shop.call('HEAD', '/api/v1/admin/orders/export', { token: admin })
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    }
    expect((await get('contacts/export')).status).toBe(200)
  })
})
