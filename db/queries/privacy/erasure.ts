import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { FINISHED } from '../../../src/rules/orders/states.ts'
import type { Tables, Trx } from '../../database.ts'
import { anyId, anyText, isNeededBy, isOf, names, PERSONAL, type PersonKeys } from './person.ts'

/** Stands for the name of an erased customer. */
const NOBODY = '—'

/** Erases the customers of orders, which keep their figures, and cuts their history to states. */
export async function eraseOrders(trx: Trx, ids: number[]): Promise<void> {
  // Before the orders lose their accounts. Names remain of staff who still have one, and of API keys.
  await trx
    .updateTable('order_history as entry')
    .from('orders')
    .set({
      before: null,
      after: null,
      user_id: sql`case when ${isStaffs} then entry.user_id end`,
      user_name: sql`case when ${isStaffs} or entry.actor_kind = 'API_KEY' then entry.user_name end`,
    })
    .whereRef('orders.id', '=', 'entry.order_id')
    .where('entry.order_id', '=', anyId(ids))
    .execute()
  await trx
    .updateTable('order_submit_attempts')
    .set({ request: '{}', response: null, error: null })
    .where('order_id', '=', anyId(ids))
    .execute()
  // Their keys still refuse to be used for another order.
  await trx
    .updateTable('order_idempotency_keys')
    .set({ order_id: null, request_hash: '' })
    .where('order_id', '=', anyId(ids))
    .execute()
  await trx
    .updateTable('orders')
    .set({
      customer_name: NOBODY,
      customer_phone: null,
      customer_email: null,
      delivery_address: null,
      comment: null,
      admin_comment: null,
      submit_error: null,
      user_id: null,
      tracking_hash: null,
      tracking_sealed: null,
      version: sql`version + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', anyId(ids))
    .execute()
}

const isStaffs = sql<boolean>`
  (entry.actor_kind = 'USER' and entry.user_id is not null and entry.user_id is distinct from orders.user_id)`

/** Cuts what the histories of other orders tell of a person. */
export async function eraseHistory(trx: Trx, keys: string[], person: PersonKeys): Promise<void> {
  await trx
    .updateTable('order_history')
    .set({ before: null, after: null })
    .where('after', 'is not', null)
    .where(names(keys))
    .where((eb) => eb.not(isNeededBy(eb, eb.ref('order_history.order_id'), person)))
    .execute()
}

/** The events whose bodies show a person. */
const EVENTS = ['order.created', 'order.status_changed', 'contact.created'] as const

const data = sql`body::jsonb -> 'data'`
const dataId = sql<string>`(body::jsonb #>> '{data,id}')`

/** What the body of an event no longer says of its order. */
const ERASED_DATA = JSON.stringify({
  customerName: NOBODY,
  customerPhone: null,
  customerEmail: null,
  deliveryAddress: null,
  comment: null,
  adminComment: null,
  submitError: null,
  userId: null,
  customer: null,
})

type Erased = { orderIds: number[]; contactIds: number[]; keys: string[]; person: PersonKeys }

/** Erases the person from events of webhooks: those of orders are still sent, those of contact requests aren't. */
export async function eraseDeliveries(trx: Trx, { orderIds, contactIds, keys, person }: Erased): Promise<void> {
  const namesThem = sql<SqlBool>`person_keys(${data}) && ${keys}::text[]`
  await trx
    .deleteFrom('webhook_deliveries')
    .where('event', 'in', EVENTS)
    .where('event', '=', 'contact.created')
    .where(({ eb, or }) => or([namesThem, eb(dataId, '=', anyText(contactIds.map(String)))]))
    .execute()
  await trx
    .updateTable('webhook_deliveries')
    .set({
      body: sql`jsonb_set(body::jsonb, '{data}', (${data}) || ${ERASED_DATA}::jsonb)::text`,
      response: null,
      last_error: null,
    })
    .where('event', 'in', EVENTS)
    .where('event', '!=', 'contact.created')
    .where((eb) => {
      const isFree = eb.not(isNeededBy(eb, sql`${dataId}::int`, person))
      return eb.or([eb.and([namesThem, isFree]), eb(dataId, '=', anyText(orderIds.map(String)))])
    })
    .execute()
}

/**
 * Deletes mails about these records and to these recipients, but none about an order that isn't finished.
 * @returns their ids
 */
export async function deleteMailsOf(
  trx: Trx,
  { orderIds, contactIds, recipients }: { orderIds: number[]; contactIds: number[]; recipients: string[] },
): Promise<number[]> {
  const rows = await trx
    .deleteFrom('mails')
    .where(({ and, eb, exists, not, or, selectFrom }) => {
      const isOpen = exists(
        selectFrom('orders').whereRef('orders.id', '=', 'mails.order_id').where('orders.status', 'not in', FINISHED),
      )
      return or([
        eb('order_id', '=', anyId(orderIds)),
        eb('contact_id', '=', anyId(contactIds)),
        and([sql<SqlBool>`email_key(recipient) = ${anyText(recipients)}`, not(isOpen)]),
      ])
    })
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes consents that no order, contact request or account is kept with. @returns how many */
export async function deleteConsentsOf(trx: Trx, keys: PersonKeys): Promise<number> {
  const rows = await trx
    .deleteFrom('consents')
    .where(isOf(keys, 'consents.email', 'consents.phone'))
    .where(({ and, eb, exists, not, or, selectFrom }) => {
      const order = selectFrom('orders').where(
        sql<SqlBool>`phone_key(customer_phone) = phone_key(consents.phone)
          and email_key(customer_email) is not distinct from email_key(consents.email)`,
      )
      const contact = selectFrom('contact_requests as contact').where(
        sql<SqlBool>`phone_key(contact.phone) = phone_key(consents.phone)
          and email_key(contact.email) is not distinct from email_key(consents.email)`,
      )
      const account = selectFrom('users').whereRef('users.email', '=', 'consents.email')
      const needed = or([
        and([eb('kind', '=', 'ORDER'), exists(order)]),
        and([eb('kind', '=', 'CONTACT'), exists(contact)]),
        and([eb('kind', '=', 'REGISTRATION'), exists(account)]),
      ])
      return not(needed)
    })
    .returning('id')
    .execute()
  return rows.length
}

/** Deletes accounts, of which orders remain that aren't finished. */
export async function deleteAccounts(trx: Trx, ids: number[]): Promise<void> {
  await trx
    .updateTable('order_history as entry')
    .from('orders')
    .set(({ ref }) => ({ user_name: ref('orders.customer_name') }))
    .whereRef('orders.id', '=', 'entry.order_id')
    .whereRef('orders.user_id', '=', 'entry.user_id')
    .where('orders.user_id', '=', anyId(ids))
    .execute()
  await trx.deleteFrom('password_resets').where('user_id', '=', anyId(ids)).execute()
  await trx.updateTable('orders').set({ user_id: null }).where('user_id', '=', anyId(ids)).execute()
  await trx.deleteFrom('users').where('id', '=', anyId(ids)).execute()
}

/** A record cut to states. */
function cut(record: 'before' | 'after') {
  const states = sql`jsonb_build_object('status', ${sql.ref(record)} -> 'status', 'role', ${sql.ref(record)} -> 'role')`
  return sql<string>`case when ${sql.ref(record)} is not null then jsonb_strip_nulls(${states}) end`
}

type Traces = Erased & { userIds: number[]; mailIds: number[] }

/** Cuts the entries of the audit log about a person to states. @returns how many had more */
export async function eraseAudit(trx: Trx, traces: Traces): Promise<number> {
  const { orderIds, contactIds, userIds, mailIds, keys, person } = traces
  const subject = sql<string>`substring(coalesce(before, after) ->> 'subject' from '^(?:Новое обращение №|New message) ([0-9]+)')`
  const isOf = (
    { and, eb }: ExpressionBuilder<Tables, 'audit_log'>,
    entity: (typeof PERSONAL)[number],
    ids: number[],
  ) => and([eb('entity', '=', entity), eb('entity_id', '=', anyText(ids.map(String)))])
  const rows = await trx
    .updateTable('audit_log')
    .set({ before: cut('before'), after: cut('after') })
    .where((eb) => {
      const orderId = sql`case when entity = 'ORDER' then entity_id::int end`
      return eb.or([
        isOf(eb, 'ORDER', orderIds),
        isOf(eb, 'CONTACT', contactIds),
        isOf(eb, 'USER', userIds),
        isOf(eb, 'MAIL', mailIds),
        eb.and([eb('entity', '=', 'MAIL'), eb(subject, '=', anyText(contactIds.map(String)))]),
        eb.and([eb('entity', 'in', PERSONAL), names(keys), eb.not(isNeededBy(eb, orderId, person))]),
      ])
    })
    .where(sql<SqlBool>`(before is distinct from ${cut('before')} or after is distinct from ${cut('after')})`)
    .returning('id')
    .execute()
  return rows.length
}

/** Deletes the counters of limits of these emails and phones, and their password resets. @param hashes SHA-256 in hexadecimal */
export async function deleteCountersOf(trx: Trx, hashes: { emails: string[]; phones: string[] }): Promise<void> {
  const part = (position: number) => sql<string>`split_part(key, ':', ${sql.lit(position)})`
  await trx
    .deleteFrom('rate_limits')
    .where(({ and, eb, or }) =>
      or([
        and([eb(part(1), '=', 'mail'), eb(part(2), '=', anyText(hashes.emails))]),
        and([eb(part(1), 'in', ['login', 'reset']), eb(part(3), '=', anyText(hashes.emails))]),
        and([eb(part(2), '=', 'phone'), eb(part(4), '=', anyText(hashes.phones))]),
      ]),
    )
    .execute()
  await trx
    .deleteFrom('password_resets')
    .where('email_hash', 'in', sql<Buffer>`(select decode(hash, 'hex') from unnest(${hashes.emails}::text[]) as hash)`)
    .execute()
}
