import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { FINISHED } from '../../../src/rules/orders/states.ts'
import type { Tables, Trx } from '../../database.ts'

/** What a person is found by: emails as `email_key` and phones as `phone_key` writes them. */
export type PersonKeys = { emails: string[]; phones: string[] }

export const anyText = (texts: string[]) => sql<string>`any(${texts}::text[])`
export const anyId = (ids: number[]) => sql<number>`any(${ids}::int[])`

/** The columns of a table that hold an email and a phone. */
export function isOf({ emails, phones }: PersonKeys, email: string, phone: string): Expression<SqlBool> {
  return sql<SqlBool>`(email_key(${sql.ref(email)}) = ${anyText(emails)} or phone_key(${sql.ref(phone)}) = ${anyText(phones)})`
}

/** Whether an order still needs these data of the person. @param id of the order */
export function isNeededBy(
  { exists, selectFrom }: ExpressionBuilder<Tables, keyof Tables>,
  id: Expression<unknown>,
  keys: PersonKeys,
) {
  return exists(
    selectFrom('orders as needing')
      .where('needing.id', '=', sql<number>`${id}`)
      .where('needing.status', 'not in', FINISHED)
      .where(isOf(keys, 'needing.customer_email', 'needing.customer_phone')),
  )
}

/** Finds accounts by their email or phone. */
export function findAccounts(trx: Trx, keys: PersonKeys) {
  return trx
    .selectFrom('users')
    .select(['id', 'email', 'role'])
    .where(({ eb, or }) =>
      or([eb('email', '=', anyText(keys.emails)), sql<SqlBool>`phone_key(phone) = ${anyText(keys.phones)}`]),
    )
    .orderBy('id')
    .execute()
}

const LOCKED = ['id', 'status', 'customer_email', 'customer_phone'] as const

/** Locks the orders of a person, and of these accounts, until the transaction ends. */
export function lockOrdersOf(trx: Trx, keys: PersonKeys, userIds: number[]) {
  return trx
    .selectFrom('orders')
    .select(LOCKED)
    .where(({ eb, or }) => or([isOf(keys, 'customer_email', 'customer_phone'), eb('user_id', '=', anyId(userIds))]))
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Locks a batch of finished orders that nobody has changed for so many days and that still have a customer. */
export function lockOldOrders(trx: Trx, days: number, limit: number) {
  const cutoff = sql<Date>`now() - ${days}::int * interval '1 day'`
  return (
    trx
      .selectFrom('orders')
      .select(LOCKED)
      .where('created_at', '<', cutoff)
      .where('customer_phone', 'is not', null)
      .where('updated_at', '<', cutoff)
      // What was sent long ago has arrived, whether or not staff completed it.
      .where('status', 'in', [...FINISHED, 'SENT'])
      .orderBy('created_at')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
  )
}

const CONTACT = ['id', 'email', 'phone'] as const

export function deleteContactsOf(trx: Trx, keys: PersonKeys) {
  return trx
    .deleteFrom('contact_requests')
    .where(isOf(keys, 'email', 'phone'))
    .returning(CONTACT)
    .execute()
}

/** Deletes a batch of contact requests that nobody has changed for so many days. */
export function deleteOldContacts(trx: Trx, days: number, limit: number) {
  const cutoff = sql<Date>`now() - ${days}::int * interval '1 day'`
  return trx
    .deleteFrom('contact_requests')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('contact_requests')
        .select('id')
        .where('created_at', '<', cutoff)
        .where('updated_at', '<', cutoff)
        .orderBy('created_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(CONTACT)
    .execute()
}

/** The entries of the audit log that can be about a person. */
export const PERSONAL = ['ORDER', 'CONTACT', 'USER', 'MAIL', 'LOGIN_BLOCK'] as const

/** Whether a record before or after a change names one of these. */
export const names = (keys: string[]) => sql<SqlBool>`person_keys(before) || person_keys(after) && ${keys}::text[]`

/** Finds orders and contact requests of a person that staff have deleted: the audit log names them. */
export async function findDeleted(trx: Trx, keys: string[]): Promise<{ orderIds: number[]; contactIds: number[] }> {
  const rows = await trx
    .selectFrom('audit_log')
    .select(['entity', 'entity_id'])
    .distinct()
    .where('entity', 'in', PERSONAL)
    .where(names(keys))
    .execute()
  const idsOf = (entity: string) => rows.flatMap((row) => (row.entity === entity ? Number(row.entity_id) : []))
  const remaining = await trx
    .selectFrom('orders')
    .select('id')
    .where('id', '=', anyId(idsOf('ORDER')))
    .execute()
  const there = new Set(remaining.map(({ id }) => id))
  return { orderIds: idsOf('ORDER').filter((id) => !there.has(id)), contactIds: idsOf('CONTACT') }
}
