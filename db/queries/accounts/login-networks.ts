import { sql } from 'kysely'
import type { Db } from '../../database.ts'

/** Longer ago an account has not been at home in a network (contract section 3). */
const REMEMBERED = sql`interval '30 days'`

/** Whether the user has logged in from this network lately. */
export async function isHomeNetwork(db: Db, userId: number, network: string): Promise<boolean> {
  const found = await db
    .selectFrom('login_networks')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('network', '=', network)
    .where('last_login_at', '>', sql<Date>`now() - ${REMEMBERED}`)
    .execute()
  return found.length > 0
}

/** Notes a login; one that was noted within a day is not written again. */
export async function noteLogin(db: Db, userId: number, network: string): Promise<void> {
  await sql`
    insert into login_networks as known (user_id, network) select id, ${network} from users where id = ${userId}
    on conflict (user_id, network) do update set last_login_at = now()
      where known.last_login_at < now() - interval '1 day'`.execute(db)
}

/** @returns how many networks were forgotten */
export async function deleteForgottenNetworks(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('login_networks')
    .where('last_login_at', '<', sql<Date>`now() - ${REMEMBERED}`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
