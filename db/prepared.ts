import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
} from 'kysely'
import { prepareText } from './client.ts'
import type { Db, Tables } from './database.ts'

/** A pool or a transaction, of any tables. */
type Executor = QueryExecutorProvider & Pick<Kysely<unknown>, 'executeQuery'>
/** A query of the builder, or one in `sql`. */
type Query<Row> = { compile(db: QueryExecutorProvider): CompiledQuery<Row> }

/**
 * Runs a statement that each connection parses and plans once. For statements whose text never varies and whose best
 * plan doesn't depend on the parameters, such as reads by key.
 */
export async function prepared<Row>(db: Executor, query: Query<Row>): Promise<Row[]> {
  const compiled = query.compile(db)
  prepareText(compiled.sql)
  return (await db.executeQuery(compiled)).rows
}

/** The values of a statement, as its text refers to them. */
export type Params<Values> = { [Name in keyof Values]-?: RawBuilder<Exclude<Values[Name], undefined>> }

/** Compiles queries, and runs none. */
const compiler = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/**
 * Like `prepared`, but the query is built only once, at its first use, with parameters for the values: building costs as much
 * as running does. For statements of frequent requests.
 * @param build takes each parameter by its name; a spread of them has none
 * @returns runs the statement with values
 */
export function prepare<Values extends object, Row>(build: (db: Db, params: Params<Values>) => Query<Row>) {
  let compiled: CompiledQuery<Row> | undefined
  const nameOf = new Map<unknown, string | symbol>()
  const params: Params<Values> = new Proxy(Object.create(null), {
    get(_, name) {
      const placeholder = {}
      nameOf.set(placeholder, name)
      return sql`${placeholder}`
    },
  })
  function compile(): CompiledQuery<Row> {
    const query = build(compiler, params).compile(compiler)
    prepareText(query.sql)
    return query
  }
  return async (db: Executor, values: Values): Promise<Row[]> => {
    compiled ??= compile()
    const parameters = compiled.parameters.map((parameter) => {
      const name = nameOf.get(parameter)
      return name === undefined ? parameter : Reflect.get(values, name)
    })
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}

/** `= any(ids)` for a prepared statement. Hides the number of ids from the planner, which would plan again for a few. */
export function anyOf(ids: number[] | RawBuilder<number[]>) {
  return sql<number>`any((select ${ids}::int[])::int[])`
}

/** The row of a query that always returns one. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('A query that always returns a row returned none')
  return row
}
