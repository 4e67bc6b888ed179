import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, sorted } from '../../paging.ts'
import { columnsOf, prepared } from '../../prepared.ts'
import { type ApiKeyRow, USER_COLUMNS, type UserRow } from '../../tables/users.ts'
import { escapeLike } from '../expressions.ts'

/** @param email lower case */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const query = sql<UserRow>`select ${columnsOf(USER_COLUMNS)} from users where email = ${email}`
  return (await prepared(db, query))[0]
}

export type UserFilter = {
  /** Part of name, email or phone, in any case; `%` and `_` are ordinary characters. */
  search: string | undefined
  role: UserRow['role'] | undefined
}

export function listUsers(
  db: Db,
  { search, role }: UserFilter,
  sort: Sort<keyof UserRow>,
  page: PageRequest,
): Promise<PageOf<UserRow>> {
  let query = db.selectFrom('users').selectAll()
  if (role !== undefined) query = query.where('role', '=', role)
  if (search !== undefined) {
    const pattern = `%${escapeLike(search)}%`
    query = query.where((eb) =>
      eb.or([eb('name', 'ilike', pattern), eb('email', 'ilike', pattern), eb('phone', 'ilike', pattern)]),
    )
  }
  return readPage(sorted(query, sort), page)
}

/** Locks users until the transaction ends, by id to prevent deadlocks. Records may still be written that refer to them. */
export async function lockUsers(trx: Trx, ids: number[]): Promise<UserRow[]> {
  const { rows } = await sql<UserRow>`
    select * from users where id = any(${ids}::int[]) order by id for no key update`.execute(trx)
  return rows
}

/**
 * Sets a new password and revokes all tokens.
 * @param version expected token version; null for a reset by staff
 * @returns undefined when the user is missing or has another token version
 */
export async function updatePassword(
  db: Db,
  id: number,
  hash: string,
  version: number | null = null,
): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`
    update users set password_hash = ${hash}, token_version = token_version + 1, updated_at = now()
    where id = ${id} and token_version = coalesce(${version}::int, token_version) returning *`.execute(db)
  return rows[0]
}

/** Deletes an account but not its orders. */
export async function deleteUser(trx: Trx, id: number): Promise<void> {
  // Orders are locked before the account: whoever changes one holds its lock when the history refers to an account.
  await sql`update orders set user_id = null where user_id = ${id}`.execute(trx)
  await sql`delete from users where id = ${id}`.execute(trx)
}

export async function superAdminExists(db: Db): Promise<boolean> {
  const { rows } = await sql`select from users where role = 'SUPER_ADMIN' limit 1`.execute(db)
  return rows.length > 0
}

/** Finds a key that has not expired, and records its use at most once a minute. */
export async function useApiKey(db: Db, key: string): Promise<ApiKeyRow | undefined> {
  const keyHash = hash('sha256', key, 'buffer')
  const { rows } = await sql<ApiKeyRow & { is_due: boolean }>`
    select *, coalesce(last_used_at < now() - interval '1 minute', true) as is_due
    from api_keys where key_hash = ${keyHash} and coalesce(expires_at > now(), true)`.execute(db)
  const [row] = rows
  if (row?.is_due) await sql`update api_keys set last_used_at = now() where id = ${row.id}`.execute(db)
  return row
}
