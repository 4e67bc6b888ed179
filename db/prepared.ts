import { type CompiledQuery, type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import pg from 'pg'
import { currentTracing, inSpan } from '../src/runtime/tracing.ts'

/** A pool or a transaction, of any tables. */
type Executor = QueryExecutorProvider & Pick<Kysely<unknown>, 'executeQuery'>
/** A query of the builder, or one in `sql`. */
type Query<R> = { compile(db: QueryExecutorProvider): CompiledQuery<R> }

const names = new Map<string, string>()

/**
 * Runs a statement that each connection parses and plans once. For statements whose text never varies and whose best
 * plan doesn't depend on the parameters, such as reads by key. The statement names its columns: PostgreSQL
 * refuses a prepared `*` after a migration.
 */
export async function prepared<R>(db: Executor, query: Query<R>): Promise<R[]> {
  const compiled = query.compile(db)
  const { sql: text } = compiled
  if (!names.has(text)) {
    if (/(select|returning)\s+\*|\.\*/i.test(text))
      throw new Error(`A prepared statement has to name its columns: ${text}`)
    names.set(text, `shop_${names.size}`)
  }
  return (await db.executeQuery(compiled)).rows
}

/** A connection that prepares the statements which `prepared` runs. */
export class PreparingClient extends pg.Client {
  override query(...args: unknown[]) {
    const [text, values, ...rest] = args
    const name = names.get(String(text))
    const run = () => Reflect.apply(super.query, this, name === undefined ? args : [{ name, text, values }, ...rest])
    // COPY passes an object, the pool itself a callback.
    if (currentTracing() === undefined || typeof text !== 'string' || args.some((arg) => typeof arg === 'function'))
      return run()
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text }
    return inSpan(`SQL ${/\w+/.exec(text)?.[0] ?? ''}`, attributes, run)
  }
}

/** `= any(ids)` for a prepared statement. Hides the number of ids from the planner, which would plan again for a few. */
export function anyOf(ids: number[]) {
  return sql<number>`any((select ${ids}::int[])::int[])`
}

/** The row of a query that always returns one. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('A query that always returns a row returned none')
  return row
}
