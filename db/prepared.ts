import type { Kysely, RawBuilder } from 'kysely'

const names = new Map<string, string>()

/**
 * Runs a statement that each connection parses and plans once. For those whose text never varies and whose best plan
 * does not depend on the parameters: rows by their keys, above all. What depends on them is planned each time.
 */
export async function prepared<T, R>(db: Kysely<T>, query: RawBuilder<R>): Promise<R[]> {
  const statement = query.compile(db)
  if (!names.has(statement.sql)) names.set(statement.sql, `shop_${names.size}`)
  return (await db.executeQuery(statement)).rows
}

/** The name under which a statement is kept by the server; undefined: it is not. */
export function preparedName(text: string): string | undefined {
  return names.get(text)
}
