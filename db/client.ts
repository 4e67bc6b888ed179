import pg from 'pg'
import { currentTracing, inSpan } from '../src/runtime/tracing.ts'

/** The names of prepared statements, by their texts. */
const names = new Map<string, string>()

/**
 * Has each connection parse and plan a statement once. The statement names its columns: PostgreSQL refuses a prepared `*` after
 * a migration.
 */
export function prepareText(text: string): void {
  if (names.has(text)) return
  if (/(select|returning)\s+\*|\.\*/i.test(text))
    throw new Error(`A prepared statement has to name its columns: ${text}`)
  names.set(text, `shop_${names.size}`)
}

/** A connection that prepares the statements which `prepareText` has named. */
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
