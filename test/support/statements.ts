import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { connectionSettings, type Db, type Tables } from '../../db/database.ts'

export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/** A node of a plan, and its index or table, if any. */
export type PlanNode = { type: string; on: string | null }

export type OverheardDatabase = {
  db: Db
  /** Returns the statements that `work` executes, in order, without begin and commit. */
  statementsOf(work: (db: Db) => Promise<unknown>): Promise<Statement[]>
  /** Returns the plan of each statement, with the text and parameters that were sent. */
  plansOf(work: (db: Db) => Promise<unknown>): Promise<PlanNode[][]>
  close(): Promise<void>
}

/** A pool that records statements. */
export function overhear(databaseUrl: string): OverheardDatabase {
  let heard: Statement[] = []
  // Without time limits: tests fill whole tables in one statement.
  const pool = new pg.Pool(connectionSettings(databaseUrl, 0))
  // A closing connection may report that its database was dropped.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void heard.push(query),
  })

  async function statementsOf(work: (db: Db) => Promise<unknown>): Promise<Statement[]> {
    heard = []
    await work(db)
    return heard.filter(({ sql }) => !/^(begin|commit)/.test(sql))
  }

  async function planOf({ sql, parameters }: Statement): Promise<PlanNode[]> {
    const explain = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters])
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: RawNode }] }>(explain)
    const nodes = rows.map((row) => row['QUERY PLAN'][0].Plan)
    // The loop appends to the list.
    for (const node of nodes) nodes.push(...(node.Plans ?? []))
    return nodes.map((node) => ({
      type: node['Node Type'],
      on: node['Index Name'] ?? node['Relation Name'] ?? null,
    }))
  }

  return {
    db,
    statementsOf,
    async plansOf(work) {
      const plans: PlanNode[][] = []
      for (const statement of await statementsOf(work)) plans.push(await planOf(statement))
      return plans
    },
    close: () => db.destroy(),
  }
}

type RawNode = { 'Node Type': string; 'Relation Name'?: string; 'Index Name'?: string; Plans?: RawNode[] }

/** The nodes that read a table or an index, such as `Index Scan products_pkey`. */
export function readsOf(plan: PlanNode[] | undefined): string[] {
  return (plan ?? []).filter(({ on }) => on !== null).map(({ type, on }) => `${type} ${on}`)
}
