import { type Kysely, sql } from 'kysely'

/**
 * What only searches compare with moves to a table of its own: an edit of a price, a stock or a place then enters none
 * of the search's indexes, which were more than half of its cost.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table product_search (
    product_id int primary key references products on update cascade on delete cascade,
    search_text text not null,
    search_stems tsvector not null generated always as (to_tsvector('search', search_text)) stored
  )`,
  `insert into product_search (product_id, search_text) select id, search_text from products order by id`,

  `drop trigger products_new_names on products`,
  `drop trigger products_changed_name on products`,
  // With their indexes.
  `alter table products drop search_text, drop search_stems`,
  `create index product_search_text on product_search using gin (search_text gin_trgm_ops)`,
  `create index product_search_stems on product_search using gin (search_stems)`,

  // A search finds ids: whether they are active and in stock, and where, is looked up in an index alone. What the index
  // of those in stock knew is in it too.
  `drop index products_active, products_in_stock, products_category`,
  `create index products_active on products (id) include (stock, final_price) where active`,
  `create index products_category on products (category_id, id) include (active, stock, final_price)`,

  `create or replace function note_new_names() returns trigger language plpgsql as $$
    declare
      texts text[];
    begin
      with noted as (
        insert into product_search (product_id, search_text)
        select id, search_text_of(name) from written
        returning search_text
      )
      select array_agg(search_text) into texts from noted;
      perform add_to_search_vocabulary(texts);
      return null;
    end $$`,
  `create or replace function note_changed_name() returns trigger language plpgsql as $$
    declare
      text text := search_text_of(new.name);
    begin
      update product_search set search_text = text where product_id = new.id and search_text <> text;
      perform add_to_search_vocabulary(array[text]);
      return null;
    end $$`,
  `create trigger products_new_names after insert on products
    referencing new table as written for each statement execute function note_new_names()`,
  // For each row, so that changes of anything else cost nothing.
  `create trigger products_changed_name after update on products
    for each row when (old.name is distinct from new.name) execute function note_changed_name()`,
]
