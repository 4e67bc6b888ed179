import { type Kysely, sql } from 'kysely'

/** Whom security.txt names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into app_config (key, value, description) values
      ('shop_security_contact', '', 'Email or https address for reports of vulnerabilities, shown in /.well-known/security.txt; empty: no such file')
    on conflict do nothing`.execute(db)
}
