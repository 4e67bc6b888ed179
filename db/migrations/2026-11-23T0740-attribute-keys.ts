import { type Kysely, sql } from 'kysely'

/** Values of attributes are compared without case, ё as е, and with any spaces between words. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The spaces are listed because the class of them depends on the locale.
  `create function attribute_key(value text) returns text
    language sql immutable strict parallel safe return replace(
      lower(regexp_replace(value,
        '[ \\t\\n\\v\\f\\r\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+', ' ', 'g')
        collate "und-x-icu"),
      'ё', 'е')`,
  `drop index product_attributes_value`,
  `create index product_attributes_key
    on product_attributes (attribute_hash(name, attribute_key(value)), product_id)`,
]
