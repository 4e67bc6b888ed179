import { type CompiledQuery, type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

/** A pool, or a transaction, of whatever tables. */
type Executing = QueryExecutorProvider & Pick<Kysely<unknown>, 'executeQuery'>

const names = new Map<string, string>()

/**
 * Runs a statement that each connection parses and plans once. For those whose text never varies and whose best plan
 * does not depend on the parameters: rows by their keys, above all. What depends on them is planned each time.
 * It names its columns: PostgreSQL refuses what was planned to give others than it would give now.
 */
export async function prepared<R>(db: Executing, query: RawBuilder<R>): Promise<R[]> {
  return (await db.executeQuery(named(query.compile(db)))).rows
}

/**
 * The same for what is asked so often that putting its text together counts: that is done once.
 * @param build is given a placeholder for each value
 */
export function statement<Values extends object, R>(
  build: (value: <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>) => RawBuilder<R>,
): (db: Executing, values: Values) => Promise<R[]> {
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
    const asked: CompiledQuery<R> = { ...compiled, parameters }
    return (await db.executeQuery(asked)).rows
  }
}

/**
 * For a prepared statement: one of these ids. How many there are is kept from the planner, who would otherwise plan anew
 * each time that they are few.
 */
export function anyOf(ids: RawBuilder<number[]>) {
  return sql`any((select ${ids}::int[])::int[])`
}

function named<R>(compiled: CompiledQuery<R>): CompiledQuery<R> {
  if (!names.has(compiled.sql)) names.set(compiled.sql, nameFor(compiled.sql))
  return compiled
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
