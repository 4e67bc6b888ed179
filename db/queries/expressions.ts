import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'

/** The database's time in so many milliseconds. */
export function fromNow(ms: number | RawBuilder<number>): RawBuilder<Date> {
  return sql`now() + ${ms}::float8 * interval '1 millisecond'`
}

/** Whether a text, folded as searches are (src/rules/fold.ts), contains one of these; a trigram index serves each. */
export function containsAny(text: RawBuilder<unknown>, parts: string[]): Expression<SqlBool> {
  const eb = expressionBuilder()
  return eb.or(parts.map((part) => eb(sql`fold(${text})`, 'like', `%${escapeLike(part)}%`)))
}

/** Escapes the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
