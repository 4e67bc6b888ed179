import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Mail } from '../../../src/schemas/mails.ts'
import { checkAlerts } from '../../../src/services/operations/alerts.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { sentMails } from '../../support/mails.ts'
import { placeTracked, sendOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// The setting customer_mails_per_hour.
let shop: TestShop
let other: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  productId = await createProduct(shop.deps.db, { stock: 10_000 })
  for (const limit of ['order_limit_per_ip', 'order_limit_per_phone']) await setSetting(shop, admin, limit, '0')
})
beforeEach(async () => {
  for (const table of ['mails', 'rate_limits'] as const) await shop.deps.db.deleteFrom(table).execute()
  await setSetting(shop, admin, 'customer_mails_per_hour', '10')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const order = (email: string, at = shop) =>
  placeTracked(at, [{ productId, quantity: 1 }], { fields: { customerEmail: email } })
async function mailsOf(status: Mail['status']): Promise<Mail[]> {
  return (await shop.call('GET', `/api/v1/admin/mails?status=${status}`, { token: admin })).body as Mail[]
}

test('ten mails an hour go to one address, however it is written; further ones are listed as failed', async () => {
  const written = ['Anna@пример.рф', 'anna@ПРИМЕР.рф', '\u200Fanna@xn--e1afmkfd.xn--p1ai']
  const orders = await Promise.all(
    Array.from({ length: 12 }, (_, n) => order(written[n % 3] ?? '', n % 2 ? shop : other)),
  )
  expect((await sentMails(shop)).map(({ to }) => to)).toEqual(Array(10).fill('anna@xn--e1afmkfd.xn--p1ai'))
  const failed = await mailsOf('FAILED')
  const lastError = 'Not sent: more than 10 mails to this address within an hour'
  expect(failed).toMatchObject(Array(2).fill({ attempts: 0, nextAttemptAt: null, lastError }))

  // A status is such a mail, too; another customer still gets one.
  const [first] = orders
  await shop.call('PATCH', `/api/v1/admin/orders/${first?.id}`, { token: admin, body: { status: 'SENT' } })
  await order('olga@example.test')
  expect((await sentMails(shop)).map(({ to }) => to)).toEqual(['olga@example.test'])
  expect((await mailsOf('FAILED')).length).toBe(3)
})

test('staff can send what was held back', async () => {
  await setSetting(shop, admin, 'customer_mails_per_hour', '1')
  const [, second] = [await order('anna@example.test'), await order('anna@example.test')]
  await sentMails(shop)
  const [held] = await mailsOf('FAILED')
  await shop.call('POST', `/api/v1/admin/mails/${held?.id}/retry`, { token: admin })
  const [mail] = await sentMails(shop)
  expect(mail?.body).toContain(second.trackingToken)
})

test('a refused order counts for nothing; the hour ends, and 0 is no limit', async () => {
  await setSetting(shop, admin, 'customer_mails_per_hour', '1')
  const fields = { customerEmail: 'anna@example.test' }
  expect((await sendOrder(shop, [{ productId, quantity: 21 }], { fields })).status).toBe(409)
  await order('anna@example.test')
  await order('anna@example.test')
  expect(await sentMails(shop)).toHaveLength(1)
  await sql`update rate_limits set resets_at = now() - interval '1 second' where key like 'mail:%'`.execute(
    shop.deps.db,
  )
  await order('anna@example.test')
  expect(await sentMails(shop)).toHaveLength(1)
  await setSetting(shop, admin, 'customer_mails_per_hour', '0')
  for (let n = 0; n < 3; n++) await order('anna@example.test')
  expect(await sentMails(shop)).toHaveLength(3)
})

test('staff are mailed about every order, and no alert says that mails fail', async () => {
  await setSetting(shop, admin, 'notification_email', 'boss@example.test')
  await setSetting(shop, admin, 'customer_mails_per_hour', '1')
  for (let n = 0; n < 3; n++) await order('boss@example.test')
  expect((await sentMails(shop)).map(({ to }) => to)).toEqual(Array(4).fill('boss@example.test'))
  await sql`update mails set created_at = now() - interval '2 hours', sent_at = now() - interval '3 hours'
    where true`.execute(shop.deps.db)
  await checkAlerts(shop.deps)
  const { body } = await shop.call('GET', '/api/v1/admin/alerts', { token: admin })
  expect((body as { name: string }[]).filter(({ name }) => name === 'MailsFailing')).toEqual([])
})
