import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Sort } from '../src/rules/lists.ts'
import type { Tables } from './database.ts'

/** `page` is zero-based. */
export type PageRequest = { page: number; size: number }
/** The rows of a page, and how many there are on all pages together. */
export type PageOf<Row> = { rows: Row[]; total: number }

/** @param query selects, narrows and orders */
export async function readPage<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { page, size }: PageRequest,
): Promise<PageOf<Row>> {
  const rows = await query
    .limit(size)
    .offset(page * size)
    .execute()
  // The last page tells how many there are.
  const isLast = rows.length < size && (rows.length > 0 || page === 0)
  if (isLast) return { rows, total: page * size + rows.length }
  const { total } = await query
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}

/** The query in an order that was asked for. */
export function sorted<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { columns, descending }: Sort<keyof Selectable<Tables[Table]> & string>,
): SelectQueryBuilder<Tables, Table, Row> {
  const direction = descending ? 'desc' : 'asc'
  return columns.reduce((ordered, column) => ordered.orderBy(sql.ref(column), direction), query)
}
