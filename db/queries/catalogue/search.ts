import { type RawBuilder, sql } from 'kysely'
import { errorsAllowed, type SearchWord, swaps } from '../../../src/rules/catalogue/search.ts'
import type { Db, Trx } from '../../database.ts'
import { literally } from '../like-pattern.ts'
import { EVERY_ACTIVE, matchProducts } from './product-filter.ts'

export type SimilarWord = {
  /** What was asked about. */
  asked: string
  word: string
  /** Active products that have it. */
  products: number
  /** Whether it only sounds like it. */
  sounds: boolean
  /** Errors in what both sound like. */
  distance: number
}

/**
 * Words of the vocabulary that may have been meant. With one error either the first or the last half of a word is
 * intact, whichever the error is in, and with two errors one of its thirds: so an index finds them.
 */
export async function findSimilarWords(db: Db, words: string[]): Promise<SimilarWord[]> {
  const asked = words.filter((word) => errorsAllowed(word) > 0)
  if (asked.length === 0) return []
  const parts = asked.flatMap((word) => [misspelt(word), soundsLike(word)])
  const { rows } = await sql<SimilarWord>`${sql.join(parts, sql` union all `)}`.execute(db)
  return rows
}

function misspelt(word: string) {
  const length = [...word].length
  const errors = errorsAllowed(word)
  const part = errors === 1 ? Math.floor((length - 1) / 2) : Math.floor(length / 3)
  const middle = [...word].slice(part, length - part).join('')
  const near = errors === 1 ? sql`` : sql` or word like ${`%${middle}%`}`
  return sql`(
    select ${word}::text as asked, word, products, false as sounds, 0 as distance from search_vocabulary
    where (word like ${`${[...word].slice(0, part).join('')}%`}
        or reverse(word) like ${`${[...word].slice(-part).reverse().join('')}%`}${near})
      and length(word) between ${length - errors}::int and ${length + errors}::int
      and (word = any(${swaps(word)}::text[]) or levenshtein_less_equal(word, ${word}, ${errors === 1 ? 1 : 3}) <= ${errors === 1 ? 1 : 3})
    order by levenshtein(word, ${word}), products desc limit 30)`
}

function soundsLike(word: string) {
  return sql`(
    select ${word}::text, word, products, true, levenshtein_less_equal(v.key, asked.key, 2)
    from (select search_key(${word}) as key) asked
    join search_vocabulary v on v.key like left(asked.key, greatest(1, (length(asked.key) - 1) / 2)) || '%'
      or reverse(v.key) like left(reverse(asked.key), greatest(1, (length(asked.key) - 1) / 2)) || '%'
    where length(asked.key) >= 3 and length(v.key) between length(asked.key) - 1 and length(asked.key) + 1
      and levenshtein_less_equal(v.key, asked.key, 1) <= 1
    order by 5, products desc limit 10)`
}

/** Those of the words that are words of the vocabulary, begin one, or are another form of one. */
export async function findKnownWords(db: Db, words: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select asked.word from unnest(${words}::text[], ${words.map((word) => `${word}%`)}::text[],
      ${words.map((word) => `${[...word].slice(0, Math.max(3, [...word].length - 4)).join('')}%`)}::text[])
      asked (word, beginning, stem)
    where exists (select from search_vocabulary v where v.word like asked.beginning)
      or exists (select from search_vocabulary v
        where v.word like asked.stem and to_tsvector('search', v.word) = to_tsvector('search', asked.word))
  `.execute(db)
  return new Set(rows.map(({ word }) => word))
}

/** Which of these searches find an active product, each on its own. */
export async function findThoseThatFind(db: Db, searches: SearchWord[][]): Promise<Set<number>> {
  if (searches.length === 0) return new Set()
  const checks = searches.map((words, index) => {
    const matching = db
      .selectFrom('products')
      .select('id')
      .where((eb) => matchProducts(eb, { ...EVERY_ACTIVE, words }))
    return sql`select ${index}::int as index where exists ${matching}`
  })
  const { rows } = await sql<{ index: number }>`${sql.join(checks, sql` union all `)}`.execute(db)
  return new Set(rows.map(({ index }) => index))
}

/** Counts anew in how many active products each word is. */
export async function countVocabulary(trx: Trx): Promise<void> {
  await sql`
    with counted as (
      select word, count(*)::int as products
      from products join product_search on product_id = id,
        lateral (select distinct unnest(string_to_array(btrim(search_text), ' ')) as word) words
      where active group by word
    )
    update search_vocabulary v set products = coalesce(counted.products, 0)
    from search_vocabulary known left join counted using (word)
    where known.word = v.word and v.products <> coalesce(counted.products, 0)`.execute(trx)
}

/** Counts anew how much of each product was ordered in so many days; what was cancelled counts for nothing. */
export async function countSales(trx: Trx, days: number): Promise<void> {
  await sql`
    with sold as (
      select i.product_id, sum(i.quantity)::int as quantity
      from orders o join order_items i on i.order_id = o.id
      where o.created_at > now() - ${days}::int * interval '1 day' and o.status <> 'CANCELLED'
        and i.product_id is not null
      group by i.product_id
    ), gone as (
      delete from product_sales s where not exists (select from sold where sold.product_id = s.product_id)
    )
    insert into product_sales as s (product_id, quantity) select product_id, quantity from sold
    on conflict (product_id) do update set quantity = excluded.quantity
    where s.quantity <> excluded.quantity`.execute(trx)
}

export type SuggestedProduct = { id: number; name: string; slug: string }

/** Looked at to suggest the best of them: a beginning of two letters finds thousands. */
const MOST_LOOKED_AT = 200

/** Words that begin so, the most frequent first; behind other words those that stand in a name with them. */
export async function suggestWords(
  db: Db,
  before: string[],
  beginning: string,
  limit: number,
): Promise<string[]> {
  const begins = `${literally(beginning)}%`
  const beside = sql`
    select word, count(*) as products from (
      select search_text from product_search join products on id = product_id
      where active and ${eachBegins([...before, beginning])} limit ${MOST_LOOKED_AT}) found,
      lateral (select distinct unnest(string_to_array(btrim(search_text), ' ')) as word) words
    where word like ${begins} group by word`
  const alone = sql`select word, products from search_vocabulary where word like ${begins} and products > 0`
  const { rows } = await sql<{ word: string }>`
    select word from (${before.length > 0 ? beside : alone}) words
    order by products desc, word limit ${limit}`.execute(db)
  return rows.map(({ word }) => word)
}

function eachBegins(beginnings: string[]): RawBuilder<unknown> {
  return sql.join(
    beginnings.map((text) => sql`search_text like ${`% ${literally(text)}%`}`),
    sql` and `,
  )
}

/** Active products in whose names all the words are or begin words, those ordered most first. */
export async function suggestProducts(
  db: Db,
  beginnings: string[],
  limit: number,
): Promise<SuggestedProduct[]> {
  const { rows } = await sql<SuggestedProduct>`
    select id, name, slug from (
      select id, name, slug, search_text, stock > 0 and final_price > 0 as in_stock
      from product_search join products on id = product_id
      where active and ${eachBegins(beginnings)} limit ${MOST_LOOKED_AT}) found
    left join product_sales sales on sales.product_id = found.id
    order by in_stock desc, coalesce(sales.quantity, 0) desc, length(search_text), id limit ${limit}`.execute(
    db,
  )
  return rows
}
