import { type CompiledQuery, type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

/** A pool or a transaction, of any tables. */
type Executor = QueryExecutorProvider & Pick<Kysely<unknown>, 'executeQuery'>

const names = new Map<string, string>()

/**
 * Runs a statement that each connection parses and plans once. For statements whose text never varies and whose best
 * plan doesn't depend on the parameters, above all rows by their keys. The statement names its columns: PostgreSQL
 * refuses a prepared `*` after a migration.
 */
export async function prepared<R>(db: Executor, query: RawBuilder<R>): Promise<R[]> {
  return (await db.executeQuery(named(query.compile(db)))).rows
}

/**
 * A prepared statement for hot paths, which also compiles the query only once.
 * @param build gets a placeholder for each value
 */
export function statement<Values extends object, R>(
  build: (value: <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>) => RawBuilder<R>,
): (db: Executor, values: Values) => Promise<R[]> {
  const placeholders = new Map<unknown, keyof Values>()
  let compiled: CompiledQuery<R> | undefined
  return async (db, values) => {
    compiled ??= named(
      build((name) => {
        const placeholder = Symbol()
        placeholders.set(placeholder, name)
        return sql`${placeholder}`
      }).compile(db),
    )
    const parameters = compiled.parameters.map((parameter) => {
      const name = placeholders.get(parameter)
      return name === undefined ? parameter : values[name]
    })
    const query: CompiledQuery<R> = { ...compiled, parameters }
    return (await db.executeQuery(query)).rows
  }
}

/** `= any(ids)` for a prepared statement, with the number of ids hidden from the planner, who would replan for few. */
export function anyOf(ids: RawBuilder<number[]>) {
  return sql`any((select ${ids}::int[])::int[])`
}

function named<R>(compiled: CompiledQuery<R>): CompiledQuery<R> {
  const { sql: text } = compiled
  if (names.has(text)) return compiled
  if (/(select|returning)\s+\*|\.\*/i.test(text))
    throw new Error(`A prepared statement has to name its columns: ${text}`)
  names.set(text, `shop_${names.size}`)
  return compiled
}

/** The name of a prepared statement; undefined for any other statement. */
export function preparedName(text: string): string | undefined {
  return names.get(text)
}

/** The columns, in their order. */
export function columnsOf(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)))
}
