import { type Kysely, sql } from 'kysely'

/** Texts are compared as people see and type them: by the same fold in the database and in memory (src/rules/fold.ts). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Without a call of another function of ours: indexes are built without a search path.
  await sql`
    create function fold(value text) returns text
    language plpgsql immutable strict parallel safe as $fold$
    declare
      folded text := value;
    begin
      if value ~ '[^ -~а-яА-Я]' then
        folded := regexp_replace(folded,
          '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]+',
          '', 'g');
        folded := normalize(translate(folded, '№™℠®©', '     '), NFKD);
        folded := regexp_replace(folded, '(?<![иИ])\\u0306|[\\u0300-\\u0305\\u0307-\\u036f]', '', 'g');
        folded := lower(folded collate "und-x-icu");
        folded := replace(replace(replace(replace(folded, 'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss'), 'þ', 'th');
        folded := normalize(translate(folded, 'øłđðıħŧŋς', 'olddihtnσ'), NFC);
        folded := regexp_replace(folded,
          '[\\u058a\\u05be\\u1400\\u1806\\u2010-\\u2015\\u2053\\u207b\\u208b\\u2212\\u2e17\\u2e1a\\u2e3a\\u2e3b\\u2e40\\u2e5d\\u301c\\u3030\\u30a0\\U00010d6e\\U00010ead]',
          '-', 'g');
        folded := regexp_replace(folded, '[‘’ʼ]', '''', 'g');
      else
        folded := lower(folded collate "und-x-icu");
      end if;
      folded := trim(regexp_replace(folded,
        '[ \\t\\n\\v\\f\\r\\u1680\\u2028\\u2029]+', ' ', 'g'));
      if folded ~ '[0-9][ ,x×*х]' then
        folded := regexp_replace(folded, '(?<=[0-9]),(?=[0-9])', '.', 'g');
        folded := regexp_replace(folded, '(?<=[0-9])(?: ?[×*] ?| ?[xх]| [xх] )(?=[0-9])', 'x', 'g');
      end if;
      return folded;
    end $fold$`.execute(db)

  // Letters that look like Latin ones, in words with digits or Latin letters.
  await sql`
    create function fold_scripts(folded text) returns text
    language plpgsql immutable strict parallel safe as $fold$
    begin
      if folded !~ '[0-9a-z]' or folded !~ '[авгеіјкмнорстухѕһ]' then
        return folded;
      end if;
      return (
        select string_agg(
          case when word ~ '[0-9a-z]' then translate(word, 'авгеіјкмнорстухѕһ', 'abreijkmhopctyxsh') else word end,
          ' ' order by place)
        from string_to_table(folded, ' ') with ordinality words (word, place));
    end $fold$`.execute(db)

  // Of settings and rules whose names have become the same, the first one remains.
  await sql`
    drop index attribute_settings_key;
    create or replace function attribute_key(value text) returns text
    language sql immutable strict parallel safe return fold_scripts(fold(value));
    delete from attribute_settings later using attribute_settings earlier
    where attribute_key(later.name) = attribute_key(earlier.name) and later.name > earlier.name;
    create unique index attribute_settings_key on attribute_settings (attribute_key(name))`.execute(db)
  await sql`
    drop index attribute_rules_alias_key;
    delete from attribute_rules later using attribute_rules earlier
    where attribute_key(later.alias) = attribute_key(earlier.alias) and later.id > earlier.id;
    create unique index attribute_rules_alias_key on attribute_rules (attribute_key(alias))`.execute(db)

  await sql`
    drop index orders_search_text;
    create index orders_search_text on orders using gin (fold(search_text) gin_trgm_ops);
    drop index contact_requests_search_text;
    create index contact_requests_search_text on contact_requests using gin (fold(search_text) gin_trgm_ops);
    drop index images_file_name;
    create index images_file_name on images using gin (fold(file_name) gin_trgm_ops)`.execute(db)
}
