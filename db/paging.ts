import { type Expression, type SelectQueryBuilder, sql } from 'kysely'
import type { Sort } from '../src/rules/lists.ts'
import { snakeCase } from '../src/rules/text.ts'
import type { Db, Tables } from './database.ts'

/** `page` is zero-based. */
export type PageRequest = { page: number; size: number }
/** The rows of a page, and the number of rows on all pages. */
export type PageOf<Row> = { rows: Row[]; total: number }

/**
 * Reads a page and the total in one statement.
 * @param query selects, filters and sorts; `total_rows` must not be a column of it
 */
export async function readPage<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { page, size }: PageRequest,
) {
  const count = query
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<number>().as('total_rows'))
  const found = await query
    .select(sql<number>`(${count})`.as('total_rows'))
    .limit(size)
    .offset(page * size)
    .execute()
  // A page beyond the last one has no row to carry the total.
  const counted = found[0] ?? (page > 0 ? await count.executeTakeFirstOrThrow() : { total_rows: 0 })
  return { rows: found.map(({ total_rows: _, ...row }) => row), total: counted.total_rows }
}

/** Reads all ids of a query as one array: a row for each would take ten times the memory. */
export async function readIds(db: Db, query: Expression<{ id: number }>): Promise<number[]> {
  const ids = sql<number[]>`array(${query})`
  return (await db.selectNoFrom(ids.as('ids')).executeTakeFirstOrThrow()).ids
}

type CamelCase<Column extends string> = Column extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Column

/** By a column, which has the name of the field in snake case. */
export type SortOf<Table extends keyof Tables> = Sort<CamelCase<keyof Tables[Table] & string>>

/** Columns that are sorted as people do, whatever the collation of the database. */
const TEXTS = ['name', 'email', 'file_name']

/**
 * Sorts a query as the client asked.
 * @param ties columns that order equal rows, before the id, which makes the order total (docs/http.md)
 */
export function sorted<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { field, descending }: SortOf<Table>,
  ties: readonly (keyof Tables[Table] & string)[] = [],
): SelectQueryBuilder<Tables, Table, Row> {
  const direction = descending ? 'desc' : 'asc'
  const columns = [snakeCase(field), ...ties, 'id']
  return columns.reduce((ordered, column) => {
    const text = sql`${sql.ref(column)} collate "ru-x-icu"`
    return ordered.orderBy(TEXTS.includes(column) ? text : sql.ref(column), direction)
  }, query)
}
