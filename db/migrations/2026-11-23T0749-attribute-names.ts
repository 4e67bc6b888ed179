import { type Kysely, sql } from 'kysely'

/** Names that attribute rules replace are kept, so that an attribute gets its own name back with the rule's end. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table product_attributes
      alter name drop not null,
      add supplier_name text,
      add constraint product_attributes_named check (num_nonnulls(name, supplier_name) > 0)`.execute(db)
}
