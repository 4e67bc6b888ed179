import { type Kysely, sql } from 'kysely'

/**
 * Replaces the foreign keys of attributes and stock history by a trigger that deletes the rows of deleted products. Their
 * checks, one a row, took a third of the database's time for a full load. Writers of these rows lock the products.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table product_attributes drop constraint product_attributes_product_id_fkey;
    alter table stock drop constraint stock_product_id_fkey;

    create function delete_product_parts() returns trigger language plpgsql as $$
    begin
      delete from product_attributes where product_id in (select id from deleted);
      delete from stock where product_id in (select id from deleted);
      return null;
    end $$;

    create trigger products_delete_parts after delete on products
      referencing old table as deleted
      for each statement execute function delete_product_parts();
  `.execute(db)
}
