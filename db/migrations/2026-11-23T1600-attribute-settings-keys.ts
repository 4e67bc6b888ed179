import { type Kysely, sql } from 'kysely'

/** The settings of an attribute apply to its name in any writing; of several rows, the one that decides most stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    delete from attribute_settings where name in (
      select name from (
        select name, row_number() over (
          partition by attribute_key(name)
          order by num_nonnulls(filterable, position, unit) desc, name
        ) as place
        from attribute_settings
      ) as ranked
      where place > 1
    )`.execute(db)
  await sql`create unique index attribute_settings_key on attribute_settings (attribute_key(name))`.execute(db)
}
