import { type Kysely, sql } from 'kysely'

/** What the supplier may have been sent outlives its order: such a line belongs to none, and says itself when that was. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table order_items
      alter order_id drop not null,
      add column sent_at timestamptz,
      add constraint order_items_order_or_sent check ((order_id is null) = (sent_at is not null))`.execute(db)
}
