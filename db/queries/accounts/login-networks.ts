import { sql } from 'kysely'
import type { Db } from '../../database.ts'

/** Contract section 3. */
const LIFETIME = sql`interval '30 days'`

/** Whether the user has logged in from this network in the last 30 days. */
export async function isKnownNetwork(db: Db, userId: number, network: string): Promise<boolean> {
  const found = await db
    .selectFrom('login_networks')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('network', '=', network)
    .where('last_login_at', '>', sql<Date>`now() - ${LIFETIME}`)
    .execute()
  return found.length > 0
}

/** Records a login, at most once a day. */
export async function recordLogin(db: Db, userId: number, network: string): Promise<void> {
  await sql`
    insert into login_networks as recorded (user_id, network) select id, ${network} from users where id = ${userId}
    on conflict (user_id, network) do update set last_login_at = now()
      where recorded.last_login_at < now() - interval '1 day'`.execute(db)
}

/** @returns the number of deleted networks */
export async function deleteOldNetworks(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('login_networks')
    .where('last_login_at', '<', sql<Date>`now() - ${LIFETIME}`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
