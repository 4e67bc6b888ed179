import { type Kysely, sql } from 'kysely'

/** Keys of a storefront's server, which have no rights of staff. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_keys
      drop constraint api_keys_role_check,
      add constraint api_keys_role_check check (role in ('USER', 'EDITOR', 'MANAGER', 'ADMIN'))`.execute(db)
}
