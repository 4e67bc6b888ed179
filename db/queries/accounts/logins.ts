import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { UserTables } from '../../tables/users.ts'

/** How many of an account are kept. */
const MAX_KEPT_LOGINS = 10

export type LoginRow = Selectable<UserTables['logins']>

/** Lists the last logins of an account, the newest first. */
export function listLogins(db: Db, userId: number): Promise<LoginRow[]> {
  const own = db.selectFrom('logins').selectAll().where('user_id', '=', userId)
  return own.orderBy('id', 'desc').limit(MAX_KEPT_LOGINS).execute()
}

/** Records an attempt to log in, and deletes all but the newest of the account. Does nothing if there is no such account. */
export async function insertLogin(
  db: Db,
  { user_id, network, client, outcome }: Insertable<UserTables['logins']>,
): Promise<void> {
  await db
    .insertInto('logins')
    .columns(['user_id', 'network', 'client', 'outcome'])
    .expression(({ selectFrom, val }) =>
      selectFrom('users')
        .select(['id', val(network).as('network'), sql<string | null>`${client}::text`.as('client')])
        .select(val(outcome).as('outcome'))
        .where('id', '=', user_id),
    )
    .execute()
  await db
    .deleteFrom('logins')
    .where('user_id', '=', user_id)
    .where('id', '<=', ({ selectFrom }) =>
      selectFrom('logins')
        .select('id')
        .where('user_id', '=', user_id)
        .orderBy('id', 'desc')
        .offset(MAX_KEPT_LOGINS)
        .limit(1),
    )
    .execute()
}

/** Deletes the question for a code that a login has answered. */
export async function deleteAnswered(trx: Trx, userId: number, network: string, client: string | null): Promise<void> {
  await trx
    .deleteFrom('logins')
    .where('user_id', '=', userId)
    .where('network', '=', network)
    .where('client', 'is not distinct from', client)
    .where('outcome', '=', 'CODE_REQUIRED')
    .where('created_at', '>', sql<Date>`now() - interval '10 minutes'`)
    .execute()
}
