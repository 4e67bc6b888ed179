import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../../../db/database.ts'
import * as erasing from '../../../../db/queries/privacy/erasure.ts'
import { findDataOf } from '../../../../db/queries/privacy/my-data.ts'
import * as finding from '../../../../db/queries/privacy/person.ts'
import { createTestDatabase, vacuum } from '../../../support/database.ts'
import { type OverheardDatabase, overhear, readsOf } from '../../../support/statements.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: OverheardDatabase

const ROWS = 20_000
const TABLES = [
  ...['users', 'orders', 'order_history', 'order_submit_attempts', 'order_idempotency_keys', 'contact_requests'],
  ...['mails', 'audit_log', 'webhook_deliveries', 'consents'],
]

// A shop in which a person is one of many, half of them erased already.
beforeAll(async () => {
  database = await createTestDatabase()
  shop = overhear(database.url)
  const { db } = shop
  const rows = sql`generate_series(1, ${sql.lit(ROWS)}) n`
  const order = sql`jsonb_build_object('id', n, 'customerEmail', 'c' || n || '@x.test', 'customerPhone', '+7 900 ' || n)`
  await sql`insert into users (name, email, phone, role, password_hash)
    select 'User', 'c' || n || '@x.test', '+7 900 ' || n, 'USER', '' from ${rows}`.execute(db)
  await sql`insert into orders (customer_name, customer_phone, customer_email, user_id, status, created_at, updated_at)
    select 'Анна', case when n % 2 = 0 then '+7 900 ' || n end, case when n % 2 = 0 then 'C' || n || '@x.test' end, n, 'COMPLETED',
      now() - n * interval '1 minute', now() - n * interval '1 minute' from ${rows}`.execute(db)
  await sql`insert into order_history (order_id, to_status, before, after, user_id)
    select n, 'NEW', ${order}, ${order}, n from ${rows}`.execute(db)
  await sql`insert into order_submit_attempts (order_id, started_at, request) select n, now(), '{}' from ${rows}`.execute(
    db,
  )
  await sql`insert into order_idempotency_keys (key, request_hash, order_id) select n, '', n from ${rows}`.execute(db)
  await sql`insert into contact_requests (name, phone, email, message, created_at)
    select 'Анна', '+7 900 ' || n, 'c' || n || '@x.test', '?', now() - n * interval '1 minute' from ${rows}`.execute(db)
  await sql`insert into mails (recipient, subject, body, order_id, contact_id)
    select 'c' || n || '@x.test', '', '', n, n from ${rows}`.execute(db)
  await sql`insert into audit_log (entity, entity_id, action, before, after)
    select (array['ORDER', 'CONTACT', 'USER', 'PRODUCT'])[1 + n % 4], n, 'UPDATE', ${order}, ${order} from ${rows}`.execute(
    db,
  )
  await sql`insert into webhooks (url, events, active, description, secret) values ('', '{}', true, '', '')`.execute(db)
  await sql`insert into webhook_deliveries (webhook_id, event, body)
    select 1, (array['order.created', 'product.changed'])[1 + n % 2], jsonb_build_object('data', ${order})::text from ${rows}`.execute(
    db,
  )
  await sql`insert into consents (kind, email, phone, policy_version, network)
    select 'ORDER', 'c' || n || '@x.test', '+7 900 ' || n, '1', '' from ${rows}`.execute(db)
  await vacuum(db, ...TABLES)
}, 120_000)
afterAll(async () => {
  await shop.close()
  await database.drop()
})

const person = { emails: ['c4@x.test'], phones: ['79004'] }
const keys = ['c4@x.test', '79004']
const found = { orderIds: [4], contactIds: [4], userIds: [4], mailIds: [4], recipients: ['c4@x.test'], keys, person }

const statements: [string, (trx: Trx) => Promise<unknown>][] = [
  ['finds accounts', (trx) => finding.findAccounts(trx, person)],
  ['finds orders', (trx) => finding.lockOrdersOf(trx, person, [4])],
  ['finds old orders', (trx) => finding.lockOldOrders(trx, 13, 500)],
  ['deletes contact requests', (trx) => finding.deleteContactsOf(trx, person)],
  ['deletes old contact requests', (trx) => finding.deleteOldContacts(trx, 13, 500)],
  ['finds deleted records', (trx) => finding.findDeleted(trx, keys)],
  ['erases orders', (trx) => erasing.eraseOrders(trx, [4])],
  ['erases the history of other orders', (trx) => erasing.eraseHistory(trx, keys, person)],
  ['erases deliveries', (trx) => erasing.eraseDeliveries(trx, found)],
  ['deletes mails', (trx) => erasing.deleteMailsOf(trx, found)],
  ['deletes consents', (trx) => erasing.deleteConsentsOf(trx, person)],
  ['cuts the audit log', (trx) => erasing.eraseAudit(trx, found)],
  ['deletes accounts', (trx) => erasing.deleteAccounts(trx, [4])],
  ['exports an account', (trx) => findDataOf(trx, 6, ['c6@x.test'])],
]

test.each(statements)('%s by indexes alone', async (_name, run) => {
  const plans = await shop.plansOf((db) => db.transaction().execute(run))
  expect(plans).not.toEqual([])
  const scans = plans
    .flatMap(readsOf)
    .filter((read) => /Seq Scan/.test(read) && TABLES.some((name) => read.endsWith(` ${name}`)))
  expect(scans).toEqual([])
})
