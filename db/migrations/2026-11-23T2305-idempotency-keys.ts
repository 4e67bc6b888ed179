import { type Kysely, sql } from 'kysely'

/** A key outlives its order, so that a repeated request doesn't place again what staff have deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table order_idempotency_keys
      drop constraint order_idempotency_keys_order_id_fkey,
      add constraint order_idempotency_keys_order_id_fkey
        foreign key (order_id) references orders on delete set null`.execute(db)
}
