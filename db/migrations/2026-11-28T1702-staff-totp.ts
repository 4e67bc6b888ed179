import { type Kysely, sql } from 'kysely'

/** Whether staff need a second factor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into app_config (key, value, description) values
      ('staff_totp_required', 'false', 'Whether staff have to set up two-factor login before they can do anything else')
    on conflict do nothing`.execute(db)
}
