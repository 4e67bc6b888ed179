import { type Kysely, sql } from 'kysely'

/** What strangers can take off the shelves, and mail to other strangers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into app_config (key, value, description) values
      ('order_max_quantity', '20', 'Pieces of a product in an order that staff did not place'),
      ('order_hold_hours_unconfirmed', '24', 'The same as order_hold_hours for anonymous orders that staff have not touched; 0 is for ever'),
      ('customer_mails_per_hour', '10', 'Mails about orders to one address within an hour; further ones are listed as failed; 0 is off')
    on conflict do nothing`.execute(db)
}
