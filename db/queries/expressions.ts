import { type RawBuilder, sql } from 'kysely'

/** The database's time in so many milliseconds. */
export function fromNow(ms: number): RawBuilder<Date> {
  return sql`now() + ${ms}::float8 * interval '1 millisecond'`
}

/** Whether `search_text` contains one of these; its trigram index serves each. */
export function searchTextContains(texts: string[]): RawBuilder<boolean> {
  const matches = texts.map((text) => sql`search_text like ${`%${escapeLike(text)}%`}`)
  return sql<boolean>`(${sql.join(matches, sql` or `)})`
}

/** Escapes the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
