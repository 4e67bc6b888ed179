import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OrderStatus } from '../../../src/rules/orders/states.ts'
import { eraseExpired } from '../../../src/services/privacy/erasure.ts'
import { loginAs } from '../../support/accounts.ts'
import { emptyTables } from '../../support/database.ts'
import { dumpShop, linesWith } from '../../support/dump.ts'
import { setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())
beforeEach(async () => {
  await emptyTables(shop.deps.db, 'orders, contact_requests, consents, mails, audit_log')
  await configure({ orders: '0', contacts: '0' })
})

async function configure({ orders, contacts }: { orders: string; contacts: string }): Promise<void> {
  await setSetting(shop, admin, 'order_personal_days', orders)
  await setSetting(shop, admin, 'contact_personal_days', contacts)
}

const daysAgo = (days: number) => sql<Date>`now() - ${days}::int * interval '1 day'`

async function order(status: OrderStatus, placed: number, changed: number): Promise<number> {
  const { id } = await shop.deps.db
    .insertInto('orders')
    .values({
      status,
      customer_name: `Анна ${status} ${changed}`,
      customer_phone: `+7 900 ${placed}${changed}`,
      created_at: daysAgo(placed),
      updated_at: daysAgo(changed),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function contact(placed: number, changed: number): Promise<void> {
  const values = { name: `Контакт ${changed}`, phone: `${placed}00000${changed}`, message: '?' }
  const times = { created_at: daysAgo(placed), updated_at: daysAgo(changed) }
  await shop.deps.db
    .insertInto('contact_requests')
    .values({ ...values, ...times })
    .execute()
}

const names = async () =>
  (await shop.deps.db.selectFrom('orders').select('customer_name').orderBy('id').execute()).map(
    (row) => row.customer_name,
  )
const contacts = async () =>
  (await shop.deps.db.selectFrom('contact_requests').select('name').orderBy('id').execute()).map((row) => row.name)

test('erases finished and sent orders that nobody has changed for so many days', async () => {
  await order('COMPLETED', 100, 91)
  await order('COMPLETED', 100, 89)
  await order('SENT', 100, 95)
  await order('CANCELLED', 100, 92)
  await order('ARCHIVED', 100, 93)
  await order('PROCESSING', 100, 94)
  await order('NEW', 100, 96)
  await contact(100, 99)
  await eraseExpired(shop.deps)
  expect(new Set(await names()).has('—')).toBe(false)

  await configure({ orders: '90', contacts: '0' })
  await eraseExpired(shop.deps)
  expect(await names()).toEqual(['—', 'Анна COMPLETED 89', '—', '—', '—', 'Анна PROCESSING 94', 'Анна NEW 96'])
  expect(await contacts()).toEqual(['Контакт 99'])
  const log = await shop.deps.db.selectFrom('audit_log').selectAll().where('entity', '=', 'PRIVACY').execute()
  expect(log).toMatchObject([{ entity_id: 'retention', actor_id: null, after: { orders: 4, contacts: 0 } }])
  await eraseExpired(shop.deps)
  expect(
    await shop.deps.db.selectFrom('audit_log').select('id').where('entity', '=', 'PRIVACY').execute(),
  ).toHaveLength(1)
})

test('deletes old contact requests with their mails and consents', async () => {
  const { db } = shop.deps
  await contact(31, 30)
  await contact(31, 3)
  const [old, newer] = await db.selectFrom('contact_requests').select(['id', 'phone']).orderBy('id').execute()
  for (const row of [old, newer]) {
    const mail = { recipient: 'staff@shop.test', subject: 'x', body: `Контакт ${row?.phone}`, contact_id: row?.id ?? 0 }
    await db.insertInto('mails').values(mail).execute()
    const consent = {
      kind: 'CONTACT',
      email: null,
      phone: row?.phone ?? '',
      policy_version: '1',
      network: '::/48',
    } as const
    await db.insertInto('consents').values(consent).execute()
  }
  await configure({ orders: '0', contacts: '30' })
  await eraseExpired(shop.deps)
  expect(await contacts()).toEqual(['Контакт 3'])
  const dump = await dumpShop(shop)
  expect(linesWith(dump, [old?.phone ?? ''])).toEqual([])
  expect(linesWith(dump, [newer?.phone ?? ''])).toHaveLength(3)
})

test('goes on until nothing is left, in batches', async () => {
  await sql`insert into orders (status, customer_name, customer_phone, created_at, updated_at)
    select 'COMPLETED', 'Анна', '+7 900 ' || n, now() - interval '50 days', now() - interval '50 days'
    from generate_series(1, 1100) n`.execute(shop.deps.db)
  await configure({ orders: '49', contacts: '49' })
  await eraseExpired(shop.deps)
  expect(new Set(await names())).toEqual(new Set(['—']))
})
