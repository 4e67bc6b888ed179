import { type Kysely, sql } from 'kysely'

/** What names are found by: their words, the stems of these, and a vocabulary to correct misspelt ones with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const MARKS = String.raw`[\u0300-\u0305\u0307-\u036f]`

/** Latin spellings of one sound, the longer ones first: what is written in either script comes out the same. */
const SOUNDS: [string, string][] = [
  ['shch|sch|tsch', 's'],
  ['tch|ch|ck|kh|qu|cz', 'k'],
  ['sh|zh', 's'],
  ['ph', 'f'],
  ['th', 't'],
  ['gh', 'g'],
  ['ts|tz', 's'],
  ['x', 'ks'],
  ['c(?=[eiy])', 's'],
  ['[cq]', 'k'],
  ['w', 'v'],
  ['oo|ou', 'u'],
  ['ee|ea', 'i'],
  ['[jy](?=[aeou])|i(?=[aou])', ''],
  ['[jy]', 'i'],
  ['z', 's'],
  [String.raw`(.)\1+`, String.raw`\1`],
]
const key = SOUNDS.reduce(
  (text, [pattern, sound]) => `regexp_replace(${text}, '${pattern}', '${sound}', 'g')`,
  `replace(replace(replace(replace(replace(replace(
    translate(word, 'абвгдезийклмнопрстуфхцыэьъ''', 'abvgdeziiklmnoprstufhcie'),
    'ж', 'zh'), 'ч', 'ch'), 'ш', 'sh'), 'щ', 'shch'), 'ю', 'yu'), 'я', 'ya')`,
)

const statements = [
  `create extension if not exists fuzzystrmatch`,

  // Every word and every part of a hyphenated one, with a space on both sides; then what such a one is without hyphens.
  `create function search_text_of(name text) returns text language sql immutable strict parallel safe as $$
    select ' ' || btrim(regexp_replace(
      translate(clean, '-._''’', '     ') || ' ' || array_to_string(array(
        select translate(token[1], '-._''’', '') from regexp_matches(clean, '[^ ]+[-._''’][^ ]+', 'g') token), ' '),
      '\\s+', ' ', 'g')) || ' '
    from (select regexp_replace(normalize(regexp_replace(normalize(lower(left(name, 650) collate "und-x-icu"), NFKD),
      '${MARKS}', '', 'g'), NFC), '[^[:alnum:]._''’-]+', ' ', 'g') as clean) cleaned
  $$`,

  // Snowball without stop words: who searches for one means it.
  `create text search dictionary search_russian (template = snowball, language = russian)`,
  `create text search dictionary search_english (template = snowball, language = english)`,
  `create text search configuration search (copy = simple)`,
  `alter text search configuration search alter mapping for asciiword with search_english`,
  `alter text search configuration search alter mapping for word with search_russian`,

  `alter table products
    add search_text text not null generated always as (search_text_of(name)) stored,
    add search_stems tsvector not null generated always as (to_tsvector('search', search_text_of(name))) stored`,
  `drop index products_search_name`,
  `create index products_search_text on products using gin (search_text gin_trgm_ops)`,
  `create index products_search_stems on products using gin (search_stems)`,

  `create function search_key(word text) returns text language sql immutable strict parallel safe as $$
    select ${key.replaceAll('\n', ' ')}
  $$`,
  `create table search_vocabulary (
    word text primary key,
    key text not null generated always as (search_key(word)) stored,
    products int not null default 1
  )`,
  `create index search_vocabulary_beginning on search_vocabulary (word text_pattern_ops)`,
  `create index search_vocabulary_end on search_vocabulary (reverse(word) text_pattern_ops)`,
  `create index search_vocabulary_inside on search_vocabulary using gin (word gin_trgm_ops)`,
  `create index search_vocabulary_key_beginning on search_vocabulary (key text_pattern_ops)`,
  `create index search_vocabulary_key_end on search_vocabulary (reverse(key) text_pattern_ops)`,

  // In the order of the words, so that two transactions that bring the same ones wait for each other in a row. Each is
  // looked up by itself: a join would read the whole vocabulary for each word whenever the planner believes it empty.
  `create function add_to_search_vocabulary(texts text[]) returns void language sql as $$
    insert into search_vocabulary (word)
    select distinct found.word from unnest(texts) text, unnest(string_to_array(btrim(text), ' ')) found(word)
    where length(found.word) between 3 and 40 and found.word ~ '[[:alpha:]]'
      and (select known.word from search_vocabulary known where known.word = found.word) is null
    order by found.word
    on conflict do nothing
  $$`,
  `create function note_new_names() returns trigger language plpgsql as $$
    begin
      perform add_to_search_vocabulary(array(select search_text from written));
      return null;
    end $$`,
  `create function note_changed_name() returns trigger language plpgsql as $$
    begin
      perform add_to_search_vocabulary(array[new.search_text]);
      return null;
    end $$`,
  `create trigger products_new_names after insert on products
    referencing new table as written for each statement execute function note_new_names()`,
  // For each row, so that changes of anything else cost nothing.
  `create trigger products_changed_name after update on products
    for each row when (old.search_text is distinct from new.search_text) execute function note_changed_name()`,
  `select add_to_search_vocabulary(array(select search_text from products))`,

  // How often each product was ordered of late: what the best matches are sorted by at last.
  `create table product_sales (
    product_id int primary key references products on delete cascade,
    quantity int not null
  )`,
]
