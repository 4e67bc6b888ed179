import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into app_config (key, value, description, is_public) values
      ('order_limit_per_ip', '20', 'Orders from one address within the window; 0 is off', false),
      ('order_limit_per_phone', '10', 'Orders of one phone within the window; 0 is off', false),
      ('order_limit_window_minutes', '60', 'Window of the limits of orders', false),
      ('order_hold_hours', '72', 'How long a new order that nobody takes up holds its goods; 0 is for ever', false)
    on conflict (key) do nothing`.execute(db)
}
