import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'

/** The database's time in so many milliseconds. */
export function fromNow(ms: number): RawBuilder<Date> {
  return sql`now() + ${ms}::float8 * interval '1 millisecond'`
}

/** A text as searches compare it: in lower case, with ё as е. */
export function folded(text: Expression<unknown>): RawBuilder<string> {
  return sql`replace(lower(${text} collate "und-x-icu"), 'ё', 'е')`
}

/** Whether a text contains one of these; a trigram index on the expression serves each. */
export function containsAny(text: Expression<unknown>, parts: string[]): Expression<SqlBool> {
  const eb = expressionBuilder()
  return eb.or(parts.map((part) => eb(text, 'like', `%${escapeLike(part)}%`)))
}

/** Escapes the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
