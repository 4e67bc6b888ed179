import { type Kysely, sql } from 'kysely'

/** The audit log names a key as the actor, so no two may share a name; later ones of a name get their ids. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update api_keys as later set name = name || ' #' || id
    where exists (select from api_keys where lower(name) = lower(later.name) and id < later.id)`.execute(db)
  await sql`create unique index api_keys_name on api_keys (lower(name))`.execute(db)
}
