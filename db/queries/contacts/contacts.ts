import { type Insertable, sql } from 'kysely'
import type { ContactStatus } from '../../../src/rules/contacts/requests.ts'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, sorted } from '../../paging.ts'
import type { ContactRequestRow, ContactRequestsTable } from '../../tables/contact-requests.ts'
import { literally } from '../like-pattern.ts'

export function insertContact(db: Db, values: Insertable<ContactRequestsTable>): Promise<ContactRequestRow> {
  return db.insertInto('contact_requests').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Peeks at the id of the next request without consuming it. */
export async function nextContactId(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select last_value + is_called::int as id from contact_requests_id_seq`.execute(db)
  return rows[0]?.id ?? 1
}

export type ContactFilter = {
  status: ContactStatus | undefined
  /** Part of name, phone, email or message, in any case; `%` and `_` are ordinary characters. */
  search: string | undefined
}

export function listContacts(
  db: Db,
  { status, search }: ContactFilter,
  sort: Sort<keyof ContactRequestRow>,
  page: PageRequest,
): Promise<PageOf<ContactRequestRow>> {
  let query = db.selectFrom('contact_requests').selectAll()
  if (status !== undefined) query = query.where('status', '=', status)
  if (search !== undefined) {
    const pattern = `%${literally(search.toLowerCase())}%`
    query = query.where('search_text', 'like', pattern)
  }
  return readPage(sorted(query, sort), page)
}

export function findContact(db: Db, id: number): Promise<ContactRequestRow | undefined> {
  return db.selectFrom('contact_requests').selectAll().where('id', '=', id).executeTakeFirst()
}

export function updateContact(
  db: Db,
  id: number,
  values: { status: ContactStatus } | { notes: string | null },
): Promise<ContactRequestRow | undefined> {
  return db
    .updateTable('contact_requests')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** @returns the number of deleted requests */
export async function deleteContacts(db: Db, ids: number[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('contact_requests')
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
