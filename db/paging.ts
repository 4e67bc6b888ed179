import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Sort } from '../src/rules/lists.ts'
import type { Tables } from './database.ts'

/** `page` is zero-based. */
export type PageRequest = { page: number; size: number }
/** The rows of a page, and how many there are on all pages together. */
export type PageOf<Row> = { rows: Row[]; total: number }

/**
 * What pages of a list have told of it, worth something until one of its rows changes: how many rows there are, and
 * which ones stand at some places, by what the list is sorted by, as text. The first places come first.
 */
export type KnownList = { total: number | undefined; marks: Mark[] }
export type Mark = { place: number; values: string[] }

/** Rows that are passed over rather than marked. */
const BETWEEN_MARKS = 200

export function unknownList(): KnownList {
  return { total: undefined, marks: [] }
}

/** @param query selects, narrows and orders */
export async function readPage<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { page, size }: PageRequest,
): Promise<PageOf<Row>> {
  const rows = await query
    .limit(size)
    .offset(page * size)
    .execute()
  const count = () =>
    query
      .clearSelect()
      .clearOrderBy()
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
  const total = await totalOf(rows.length, { page, size }, unknownList(), async () => (await count()).total)
  return { rows, total }
}

/**
 * How many rows a list has of which a page was read.
 * @param rows of that page
 * @param count asks the database
 */
export async function totalOf(
  rows: number,
  { page, size }: PageRequest,
  known: KnownList,
  count: () => Promise<number>,
): Promise<number> {
  const before = page * size
  // The last page tells how many there are.
  const isLast = rows < size && (rows > 0 || page === 0)
  if (isLast) known.total = before + rows
  // What the page itself contradicts is from before a change that was not heard yet.
  const contradicted = (total: number) => (rows > 0 ? total < before + rows : total > before)
  if (known.total === undefined || contradicted(known.total)) known.total = await count()
  return known.total
}

/** The last known row at a place or before it. */
export function markBefore({ marks }: KnownList, place: number): Mark | undefined {
  return marks.findLast((mark) => mark.place <= place)
}

/** Remembers which row stands at a place, unless one shortly before it is known. */
export function addMark({ marks }: KnownList, { place, values }: Mark): void {
  const before = marks.findLastIndex((mark) => mark.place <= place)
  if (place - (marks[before]?.place ?? 0) >= BETWEEN_MARKS) marks.splice(before + 1, 0, { place, values })
}

/** The query in an order that was asked for. */
export function sorted<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { columns, descending }: Sort<keyof Selectable<Tables[Table]> & string>,
): SelectQueryBuilder<Tables, Table, Row> {
  const direction = descending ? 'desc' : 'asc'
  return columns.reduce((ordered, column) => ordered.orderBy(sql.ref(column), direction), query)
}
