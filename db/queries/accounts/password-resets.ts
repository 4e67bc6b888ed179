import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { USER_COLUMNS, type UserRow } from '../../tables/users.ts'

type NewReset = { email: string; tokenHash: Buffer; validMinutes: number }

/**
 * Stores the newest token of an address, which replaces the previous one. For an address without an account the same
 * statement writes the same, so that the response time reveals nothing.
 */
export async function storeReset(trx: Trx, { email, tokenHash, validMinutes }: NewReset): Promise<void> {
  await sql`
    insert into password_resets (email_hash, user_id, token_version, token_hash, expires_at)
    select ${hashOf(sql`${email}::text`)}, users.id, users.token_version, ${tokenHash}::bytea,
      now() + ${validMinutes}::int * interval '1 minute'
    from (values (1)) as request left join users on users.email = ${email}
    on conflict (email_hash) do update set user_id = excluded.user_id, token_version = excluded.token_version,
      token_hash = excluded.token_hash, expires_at = excluded.expires_at`.execute(trx)
}

/** Whether a token is valid, for now. */
export async function isResetValid(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from password_resets, users where ${isValid(tokenHash)}`.execute(db)
  return rows.length > 0
}

/** Uses a token up. Of concurrent uses one succeeds. @returns its user, or undefined if it isn't valid */
export async function takeReset(trx: Trx, tokenHash: Buffer): Promise<UserRow | undefined> {
  const columns = sql.join(USER_COLUMNS.map((column) => sql.ref(`users.${column}`)))
  const { rows } = await sql<UserRow>`
    delete from password_resets using users where ${isValid(tokenHash)} returning ${columns}`.execute(trx)
  return rows[0]
}

export async function deleteExpiredResets(db: Db): Promise<void> {
  await sql`delete from password_resets where expires_at <= now()`.execute(db)
}

/** Neither the password nor the email has changed since the mail was written. */
function isValid(tokenHash: Buffer): RawBuilder<boolean> {
  return sql`token_hash = ${tokenHash}::bytea and expires_at > now() and users.id = password_resets.user_id
    and users.token_version = password_resets.token_version and ${hashOf(sql`users.email`)} = email_hash`
}

function hashOf(email: RawBuilder<unknown>): RawBuilder<Buffer> {
  return sql`sha256(convert_to(${email}, 'UTF8'))`
}
