import { type RawBuilder, sql } from 'kysely'

/** The database's time in so many milliseconds. */
export function fromNow(ms: number): RawBuilder<Date> {
  return sql`now() + ${ms}::float8 * interval '1 millisecond'`
}

/** Escapes the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
