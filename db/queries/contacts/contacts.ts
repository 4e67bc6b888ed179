import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readIds, readPage, type SortOf, sorted } from '../../paging.ts'
import type { ContactRequestRow, ContactStatus, ContentTables } from '../../tables/content.ts'
import { containsAny } from '../expressions.ts'

export type ContactFilter = {
  statuses: ContactStatus[] | undefined
  /** Requests whose `search_text` contains at least one of these; empty means no search. */
  searchTexts: string[]
}

export function listContacts(
  db: Db,
  filter: ContactFilter,
  sort: SortOf<'contact_requests'>,
  page: PageRequest,
): Promise<PageOf<ContactRequestRow>> {
  return readPage(sorted(matchContacts(db, filter).selectAll(), sort), page)
}

/** Lists the ids of all matching requests. */
export function listContactIds(db: Db, filter: ContactFilter, sort: SortOf<'contact_requests'>): Promise<number[]> {
  return readIds(db, sorted(matchContacts(db, filter).select('id'), sort))
}

function matchContacts(db: Db, { statuses, searchTexts }: ContactFilter) {
  let query = db.selectFrom('contact_requests')
  if (statuses !== undefined) query = query.where('status', 'in', statuses)
  if (searchTexts.length === 0) return query
  return query.where(containsAny(sql`search_text`, searchTexts))
}

export function findContact(db: Db, id: number): Promise<ContactRequestRow | undefined> {
  return db.selectFrom('contact_requests').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds these requests, in any order. */
export function findContacts(db: Db, ids: number[]): Promise<ContactRequestRow[]> {
  const listed = sql<number>`any(${ids}::int[])`
  return db.selectFrom('contact_requests').selectAll().where('id', '=', listed).execute()
}

export function lockContact(trx: Trx, id: number): Promise<ContactRequestRow | undefined> {
  return trx.selectFrom('contact_requests').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertContact(
  trx: Trx,
  values: Insertable<ContentTables['contact_requests']>,
): Promise<ContactRequestRow> {
  return trx.insertInto('contact_requests').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateContact(
  trx: Trx,
  id: number,
  values: Updateable<ContentTables['contact_requests']>,
): Promise<ContactRequestRow> {
  return trx
    .updateTable('contact_requests')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Ignores unknown ids. @returns the deleted requests */
export function deleteContacts(db: Db, ids: number[]): Promise<ContactRequestRow[]> {
  const listed = sql<number>`any(${ids}::int[])`
  return db.deleteFrom('contact_requests').where('id', '=', listed).returningAll().execute()
}
