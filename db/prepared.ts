import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

/** A pool, or a transaction, of whatever tables. */
type Executing = QueryExecutorProvider & Pick<Kysely<unknown>, 'executeQuery'>

const names = new Map<string, string>()

/**
 * Runs a statement that each connection parses and plans once. For those whose text never varies and whose best plan
 * does not depend on the parameters: rows by their keys, above all. What depends on them is planned each time.
 * It names its columns: PostgreSQL refuses what was planned to give others than it would give now.
 */
export async function prepared<R>(db: Executing, query: RawBuilder<R>): Promise<R[]> {
  const statement = query.compile(db)
  if (!names.has(statement.sql)) names.set(statement.sql, nameFor(statement.sql))
  return (await db.executeQuery(statement)).rows
}

function nameFor(text: string): string {
  if (/(select|returning)\s+\*|\.\*/i.test(text))
    throw new Error(`A prepared statement has to name its columns: ${text}`)
  return `shop_${names.size}`
}

/** The name under which a statement is kept by the server; undefined: it is not. */
export function preparedName(text: string): string | undefined {
  return names.get(text)
}

/** The columns of a table, in their order. */
export function columnsOf(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)))
}
