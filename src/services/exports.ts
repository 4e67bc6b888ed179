import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { Deps } from '../deps.ts'
import { calendarDay } from '../rules/lists.ts'
import type { CsvDelimiter } from '../schemas/lists.ts'

/** Records read by one query; their lines are written in some milliseconds. */
const BATCH_SIZE = 200

export type CsvCell = string | number | boolean | null | undefined

type Export = {
  /** Beginning of the file's name. */
  name: string
  header: string[]
  /** Which records, in their order, as of now. */
  listIds(): Promise<number[]>
  /** The lines of these records in this order; records deleted meanwhile have none. */
  readLines(ids: number[]): Promise<CsvCell[][]>
}

export type CsvFile = { headers: Record<string, string>; body: Readable }

/**
 * Streams records as CSV (docs/orders.md). Selection and order are as of the beginning, each record as of
 * the moment it is read: a batch is read when the client has taken the previous one, without keeping a database connection
 * in the meantime.
 */
export async function exportCsv(
  { log, now, config }: Deps,
  { name, header, listIds, readLines }: Export,
  delimiter: CsvDelimiter,
): Promise<CsvFile> {
  async function* chunks(ids: number[]) {
    yield toCsv([header], delimiter, true)
    for (let begin = 0; begin < ids.length; begin += BATCH_SIZE) {
      const lines = await readLines(ids.slice(begin, begin + BATCH_SIZE))
      if (lines.length > 0) yield toCsv(lines, delimiter)
    }
  }

  const body = Readable.from(chunks(await listIds()), { objectMode: false })
  body.once('error', (err) => log.warn({ err, export: name }, 'export aborted'))
  const { date } = calendarDay(now(), config.shopTimeZone)
  return {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}-${date}.csv"`,
    },
    body,
  }
}

/** Where a formula would begin if a program split the text here. */
const NESTED_FORMULA = /(?<=[;,\t\r\n])(?=[=+\-@\t\r])/g

/**
 * Writes lines of CSV (RFC 4180). An apostrophe before text that a spreadsheet would take for a formula keeps it text, also
 * where it would split the text by another delimiter.
 * @param bom whether it is the beginning of a file, by whose mark spreadsheets recognise UTF-8
 */
export function toCsv(lines: CsvCell[][], delimiter: CsvDelimiter, bom = false): string {
  return stringify(lines, {
    delimiter,
    bom,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    escape_formulas: true,
    cast: { boolean: String, string: (text) => text.replace(NESTED_FORMULA, "'") },
  })
}

/** Sorts records as their ids are. */
export function inOrder<T extends { id: number }>(ids: number[], records: T[]): T[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
