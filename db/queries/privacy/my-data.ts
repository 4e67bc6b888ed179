import { sql } from 'kysely'
import type { Db } from '../../database.ts'

/** Finds the orders of an account, and the contact requests and consents with one of these forms of its email. */
export async function findDataOf(db: Db, userId: number, emails: string[]) {
  const isOwn = sql<boolean>`email_key(email) = any(${emails}::text[])`
  return {
    orders: await db.selectFrom('orders').selectAll().where('user_id', '=', userId).orderBy('id').execute(),
    contacts: await db.selectFrom('contact_requests').selectAll().where(isOwn).orderBy('id').execute(),
    consents: await db.selectFrom('consents').selectAll().where(isOwn).orderBy('id').execute(),
  }
}
