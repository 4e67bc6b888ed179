import type { Readable } from 'node:stream'
import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { MAX_IDS, MAX_INT, readIdList, readMoment, readSort, readWordList } from '../rules/lists.ts'
import * as t from './common.ts'

/** `page` and `size` of a list (docs/http.md). */
export const PageQuery = Type.Object({
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Page number, from 0' }),
  size: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Records per page' }),
})
export type PageQuery = Static<typeof PageQuery>

/** `page` and `size` of a public list without an envelope, whose total is a header (docs/catalogue.md). */
export const PartQuery = Type.Object({
  page: PageQuery.properties.page,
  size: { ...PageQuery.properties.size, default: 100 },
})
export type PartQuery = Static<typeof PartQuery>

/** A 200 with a part of a list. */
export function PartOf<T extends TSchema>(list: T) {
  return {
    description: 'The records of this page',
    headers: { 'X-Total-Count': t.Count('Number of records on all pages') },
    content: { 'application/json': { schema: list } },
  }
}

/** `sort` of a list, over the fields of a noun in db/tables. */
function SortQuery<Field extends string>(fields: readonly Field[], byDefault: string) {
  const description = `field, field,asc or field,desc; fields: ${fields.join(', ')}; default: ${byDefault}`
  return t.OptionalParsed(100, description, `${fields[0]},desc`, (text) => readSort(text, fields))
}

/** The query of a list with pages: `page`, `size`, `sort` and the filters, each of which may be absent. */
export function ListQuery<Field extends string, Filters extends TProperties>(
  fields: readonly Field[],
  byDefault: string,
  filters: Filters,
) {
  return Type.Object({ ...PageQuery.properties, sort: SortQuery(fields, byDefault), ...t.partial(filters) })
}

/** Several values of a filter, repeated or separated by commas; services get what a rule makes of the text. */
export function Several<Value>(
  maxLength: number,
  description: string,
  example: string,
  parse: (text: string) => Value,
) {
  const text = t.Parsed(maxLength, `${description}; several are repeated or separated by commas`, example, parse)
  const items = { type: ['string', 'integer'], maxLength: 100, minimum: 1, maximum: MAX_INT }
  return { ...text, type: ['string', 'array'], items, maxItems: MAX_IDS }
}

/** The words that a list is narrowed to. */
export function SeveralWords<const Word extends string>(words: readonly Word[], description: string) {
  const read = (text: string) => (text === '' ? undefined : readWordList(text, words))
  return Type.Optional(Several(500, `${description}: ${words.join(', ')}`, words.slice(0, 2).join(','), read))
}

/** The ids that a list is narrowed to, sorted, so that lists of the same ids are equal. */
export function SeveralIds(description: string, example: string, max?: number) {
  const read = (text: string) => (text === '' ? undefined : readIdList(text, max).sort((a, b) => a - b))
  return Type.Optional(Several(12_000, description, example, read))
}

/** The ids of the only records to list: none if the text is empty. */
export function OnlyIds(description: string, example: string, max?: number) {
  const read = (text: string) => (text === '' ? [] : readIdList(text, max).sort((a, b) => a - b))
  return Several(12_000, description, example, read)
}

function Moment(description: string) {
  return t.OptionalParsed(40, description, '2026-11-21', readMoment)
}

/** `dateFrom` and `dateTo` of a list. */
export const DateRange = Type.Object({
  dateFrom: Moment("First day of the shop's calendar (YYYY-MM-DD) or ISO timestamp, inclusive"),
  dateTo: Moment("Last day of the shop's calendar (YYYY-MM-DD) or ISO timestamp, inclusive"),
})

/** The members of a page of records, in Spring Data's shape. */
export function pageOf<T extends TSchema>(item: T) {
  return {
    content: t.List(item, 'Records of this page'),
    totalElements: t.Count('Total number of records'),
    totalPages: t.Count('Total number of pages'),
    number: t.Count('Page number, from 0'),
    size: t.Count('Records per page'),
    first: Type.Boolean({ description: 'Whether this is the first page' }),
    last: Type.Boolean({ description: 'Whether no page follows' }),
  }
}

export type Page<T> = Static<TObject<ReturnType<typeof pageOf<TUnsafe<T>>>>>

/** A page of records of a named schema: `Order` makes `OrderPage`. */
export function Page<T extends TSchema>(item: T) {
  const $id = `${item.$id}Page`
  const content = item.examples ?? []
  const description = `A page of ${item.$id} records`
  const examples = [{ content, totalElements: 1, totalPages: 1, number: 0, size: 20, first: true, last: true }]
  if (!t.SCHEMAS.has($id)) t.named(Type.Object(pageOf(item), { $id, description, examples }))
  return Type.Unsafe<Page<Static<T>>>(Type.Ref($id))
}

export function toPage<Row, T>(
  { rows, total }: { rows: Row[]; total: number },
  query: PageQuery,
  toItem: (row: Row) => T,
): Page<T> {
  return { content: rows.map(toItem), ...pageNumbers(total, query) }
}

/** The members of a page besides its content. */
export function pageNumbers(total: number, { page, size }: PageQuery): Omit<Page<never>, 'content'> {
  const totalPages = Math.ceil(total / size)
  return {
    totalElements: total,
    totalPages,
    number: page,
    size,
    first: page === 0,
    last: page >= totalPages - 1,
  }
}

/** Spreadsheets of some countries expect a semicolon. */
const CsvDelimiter = t.NamedEnum('CsvDelimiter', 'Character between the cells of a line', [';', ','])
export type CsvDelimiter = Static<typeof CsvDelimiter>

/** The query of an export: that of its list, without pages, and `delimiter`. */
export function ExportQuery<Members extends TProperties>(list: TObject<Members>) {
  const { page: _, size: __, ...members } = list.properties
  const delimiter = t.ref(CsvDelimiter, { default: ';', description: 'Character between the cells of a line' })
  return { ...list, ...Type.Object({ ...members, delimiter }) }
}

export const CsvFile = t.FileOf<Readable>(
  'text/csv',
  'CSV in UTF-8 with a byte order mark; the first line has the names of the columns',
  { 'Content-Disposition': t.Text('Name of the file') },
)
