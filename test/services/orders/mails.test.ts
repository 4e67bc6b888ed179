import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OrderStatus } from '../../../src/rules/orders/states.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { sentMails } from '../../support/mails.ts'
import { placeTracked, sendOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0', SITE_URL: 'https://shop.example' })
  admin = await loginAs(shop, 'ADMIN')
  productId = await createProduct(shop.deps.db, { name: 'Чайник', price: '1234.50', stock: 1000 })
})
beforeEach(async () => {
  await setSetting(shop, admin, 'customer_mails', 'true')
  for (const table of ['mails', 'rate_limits'] as const) await shop.deps.db.deleteFrom(table).execute()
})
afterAll(() => shop.close())

const order = (email: string | null = 'Anna@Example.test', options = {}) =>
  placeTracked(shop, [{ productId, quantity: 2 }], { fields: { customerEmail: email }, ...options })

async function setStatus(id: number, ...statuses: OrderStatus[]): Promise<void> {
  for (const status of statuses) {
    const path = `/api/v1/admin/orders/${id}`
    expect((await shop.call('PATCH', path, { token: admin, body: { status } })).status).toBe(200)
  }
}

const subjects = async () => (await sentMails(shop)).map(({ subject }) => subject.replace(/ № \d+/, ''))

test('a customer gets a confirmation with the link to the order, sealed in the outbox', async () => {
  const { number, trackingToken } = await order()
  const { rows } = await sql<{ row: string }>`select mails::text as row from mails`.execute(shop.deps.db)
  expect(rows[0]?.row).not.toContain(Buffer.from(trackingToken).toString('hex'))
  expect(rows[0]?.row).not.toContain(trackingToken)
  const [mail, ...others] = await sentMails(shop)
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: 'anna@example.test', subject: `Shop: Заказ № ${number} принят` })
  expect(mail?.body.replaceAll('\u00a0', ' ')).toContain('1. Чайник — 2 × 1 234,50 ₽ = 2 469,00 ₽')
  const link = `https://shop.example/order/${trackingToken}`
  expect(mail?.body).toContain(link)
  expect(mail?.html).toContain(`<a href="${link}">`)
  expect((await shop.call('GET', `/api/v1/orders/track/${trackingToken}`)).status).toBe(200)
})

test('no confirmation without an address, for a repeat, for a refused order, or when switched off', async () => {
  await order(null)
  await order('anna@example.test', { key: 'again' })
  await order('anna@example.test', { key: 'again' })
  const scarce = await createProduct(shop.deps.db, { stock: 0 })
  await sendOrder(shop, [{ productId: scarce, quantity: 1 }], { fields: { customerEmail: 'a@example.test' } })
  await setSetting(shop, admin, 'customer_mails', 'false')
  const { id } = await order()
  await setStatus(id, 'SENT', 'COMPLETED')
  expect(await subjects()).toEqual(['Shop: Заказ принят'])
})

test('mails to a Cyrillic domain use its DNS name', async () => {
  await order('anna@пример.рф')
  expect((await sentMails(shop)).map(({ to }) => to)).toEqual(['anna@xn--e1afmkfd.xn--p1ai'])
})

test('mails to an address that was copied with marks that can’t be seen', async () => {
  const { id } = await order('\u200FR@example.test\u200B')
  expect((await sentMails(shop)).map(({ to }) => to)).toEqual(['r@example.test'])
  const { body } = await shop.call('GET', `/api/v1/admin/orders/${id}`, { token: admin })
  expect(body).toMatchObject({ customerEmail: 'R@example.test' })
})

test('mails nothing to an address that earlier versions took and no mail reaches', async () => {
  const { id } = await order(null)
  await shop.deps.db.updateTable('orders').set({ customer_email: 'нет@пример' }).where('id', '=', id).execute()
  await setStatus(id, 'SENT')
  expect(await sentMails(shop)).toEqual([])
})

test('mails SENT, COMPLETED and CANCELLED with the link, and no other state', async () => {
  const { id, trackingToken } = await order()
  await sentMails(shop)
  const body = { deliveryCost: 350 }
  await shop.call('PATCH', `/api/v1/admin/orders/${id}/delivery-cost`, { token: admin, body })
  await setStatus(id, 'PROCESSING', 'ERROR', 'SENT', 'COMPLETED', 'ARCHIVED')
  const mails = await sentMails(shop)
  expect(mails.map(({ subject }) => subject.replace(/ № \d+/, ''))).toEqual([
    'Shop: Заказ подтверждён',
    'Shop: Заказ выполнен',
  ])
  for (const { body } of mails) {
    expect(body).toContain(`https://shop.example/order/${trackingToken}`)
    expect(body).toMatch(/^Стоимость доставки: 350,00\s₽$/m)
  }
})

test('a bulk change mails each customer once', async () => {
  const orders = [await order('a@example.test'), await order('b@example.test'), await order(null)]
  await setStatus(orders[0]?.id ?? 0, 'SENT')
  await sentMails(shop)
  const body = { ids: orders.map(({ id }) => id), status: 'SENT' }
  const path = '/api/v1/admin/orders/bulk-status'
  expect((await shop.call('POST', path, { token: admin, body })).status).toBe(200)
  expect((await sentMails(shop)).map(({ to }) => to)).toEqual(['b@example.test'])
})

test('a customer who cancels by the link gets a mail about it', async () => {
  const { trackingToken } = await order()
  await shop.call('POST', `/api/v1/orders/track/${trackingToken}/cancel`)
  expect(await subjects()).toEqual(['Shop: Заказ принят', 'Shop: Заказ отменён'])
})

test('state and mail are committed together', async () => {
  const { id, trackingToken } = await order()
  const { db } = shop.deps
  await sql`alter table mails add constraint broken check (subject not like '%отменён') not valid`.execute(db)
  const answer = await shop.call('POST', `/api/v1/orders/track/${trackingToken}/cancel`)
  await sql`alter table mails drop constraint broken`.execute(db)
  expect(answer.status).not.toBe(200)
  const { body } = await shop.call('GET', `/api/v1/admin/orders/${id}`, { token: admin })
  expect(body).toMatchObject({ status: 'NEW', history: [{ toStatus: 'NEW' }] })
})

test('mails are in the language of the shop, with its address and page', async () => {
  await setSetting(shop, admin, 'mail_language', 'en')
  await setSetting(shop, admin, 'order_status_path', '/#/orders')
  const { number, trackingToken } = await order()
  const [mail] = await sentMails(shop)
  expect(mail?.subject).toBe(`Shop: Order ${number} received`)
  expect(mail?.body).toContain(`https://shop.example/#/orders/${trackingToken}`)
  await setSetting(shop, admin, 'mail_language', 'ru')
  await setSetting(shop, admin, 'order_status_path', '/order')
})

test('an order from before there were links is mailed without one', async () => {
  const { id } = await order()
  await sentMails(shop)
  const none = { tracking_hash: null, tracking_sealed: null }
  await shop.deps.db.updateTable('orders').set(none).where('id', '=', id).execute()
  await setStatus(id, 'COMPLETED')
  const [mail] = await sentMails(shop)
  expect(mail?.subject).toContain('выполнен')
  // Neither is a delivery cost, of which there is none.
  expect(mail?.body).not.toMatch(/\/order\/|доставки/)
})
