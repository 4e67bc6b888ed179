import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, type SortOf, sorted } from '../../paging.ts'
import { type Params, prepare } from '../../prepared.ts'
import type { UserRow, UserTables } from '../../tables/users.ts'
import { containsAny, fromNow } from '../expressions.ts'

export function findUser(db: Db, id: number): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

const selectByEmail = prepare((db, { email }: Params<{ email: string }>) =>
  db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'phone', 'role', 'password_hash', 'token_version', 'version'])
    .select('totp_enabled')
    .select(['created_at', 'updated_at'])
    .where('email', '=', email),
)

/** @param email lower case */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return (await selectByEmail(db, { email }))[0]
}

/** @param filter.searchTexts the name, email or phone contains at least one of these; empty means no search */
export function listUsers(
  db: Db,
  { searchTexts, role }: { searchTexts: string[]; role: UserRow['role'] | undefined },
  sort: SortOf<'users'>,
  page: PageRequest,
): Promise<PageOf<UserRow>> {
  let query = db.selectFrom('users').selectAll()
  if (role !== undefined) query = query.where('role', '=', role)
  if (searchTexts.length > 0) {
    const all = sql`concat_ws(' ', name, email, phone, regexp_replace(phone, '[^0-9]', '', 'g'))`
    query = query.where(containsAny(all, searchTexts))
  }
  return readPage(sorted(query, sort), page)
}

/** Locks users until the transaction ends, by id to prevent deadlocks. Others may still write records that refer to them. */
export function lockUsers(trx: Trx, ids: number[]): Promise<UserRow[]> {
  return trx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

export function insertUser(trx: Trx, values: Insertable<UserTables['users']>): Promise<UserRow> {
  return trx.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateUser(trx: Trx, id: number, values: Updateable<UserTables['users']>): Promise<UserRow> {
  return trx
    .updateTable('users')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Sets a new password and revokes all tokens.
 * @param version expected token version
 * @returns undefined when the user is missing or has another token version
 */
export function updatePassword(db: Db, id: number, hash: string, version: number): Promise<UserRow | undefined> {
  return db
    .updateTable('users')
    .set({ password_hash: hash, token_version: version + 1, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('token_version', '=', version)
    .returningAll()
    .executeTakeFirst()
}

/** Revokes all tokens. */
export async function revokeTokens(trx: Trx, id: number): Promise<void> {
  const next = sql<number>`token_version + 1`
  await trx.updateTable('users').set({ token_version: next }).where('id', '=', id).execute()
}

/** Deletes an account but not its orders. */
export async function deleteUser(trx: Trx, id: number): Promise<void> {
  // Orders are locked before the account: whoever changes one holds its lock when the history refers to an account.
  await trx.updateTable('orders').set({ user_id: null }).where('user_id', '=', id).execute()
  await trx.deleteFrom('users').where('id', '=', id).execute()
}

export async function superAdminExists(db: Db): Promise<boolean> {
  const found = await db.selectFrom('users').select('id').where('role', '=', 'SUPER_ADMIN').limit(1).execute()
  return found.length > 0
}

/**
 * Locks an account that is about to be deleted, with all SUPER_ADMINs if it is one, so that two can't delete themselves at the
 * same time.
 * @returns whether a SUPER_ADMIN remains without it; undefined if it is gone, or its sessions have ended
 */
export async function superAdminRemains(trx: Trx, user: UserRow): Promise<boolean | undefined> {
  const rows = await trx
    .selectFrom('users')
    .select(['id', 'role', 'token_version'])
    .where(({ and, eb, lit, or }) =>
      or([eb('id', '=', user.id), and([eb('role', '=', 'SUPER_ADMIN'), lit(user.role === 'SUPER_ADMIN')])]),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
  const own = rows.find((row) => row.id === user.id)
  if (own?.token_version !== user.token_version) return undefined
  return own.role !== 'SUPER_ADMIN' || rows.length > 1
}

/** Stores the newest token of an account, which replaces the previous one. */
export async function storeReset(
  trx: Trx,
  { id, email, token_version }: UserRow,
  tokenHash: Buffer,
  validMinutes: number,
): Promise<void> {
  await trx
    .insertInto('password_resets')
    .values({
      email_hash: hashOf(sql`${email}::text`),
      user_id: id,
      token_version,
      token_hash: tokenHash,
      expires_at: fromNow(validMinutes * 60_000),
    })
    .onConflict((conflict) =>
      conflict.column('email_hash').doUpdateSet(({ ref }) => ({
        user_id: ref('excluded.user_id'),
        token_version: ref('excluded.token_version'),
        token_hash: ref('excluded.token_hash'),
        expires_at: ref('excluded.expires_at'),
      })),
    )
    .execute()
}

/**
 * Uses a token up, unless the password or the email has changed since the mail was written. Of concurrent uses one succeeds.
 * @returns its user, or undefined if it isn't valid
 */
export function takeReset(trx: Trx, tokenHash: Buffer): Promise<UserRow | undefined> {
  return trx
    .deleteFrom('password_resets')
    .using('users')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .whereRef('users.id', '=', 'password_resets.user_id')
    .whereRef('users.token_version', '=', 'password_resets.token_version')
    .where('email_hash', '=', hashOf(sql`users.email`))
    .returningAll('users')
    .executeTakeFirst()
}

function hashOf(email: RawBuilder<unknown>): RawBuilder<Buffer> {
  return sql`sha256(convert_to(${email}, 'UTF8'))`
}
