import type { Insertable } from 'kysely'
import type { Trx } from '../../database.ts'
import type { UserTables } from '../../tables/users.ts'

export async function insertConsent(trx: Trx, values: Insertable<UserTables['consents']>): Promise<void> {
  await trx.insertInto('consents').values(values).execute()
}
