import { stringify } from 'csv-stringify/sync'

/** Characters between the cells of a line: spreadsheets of some countries expect a semicolon. */
export const CSV_DELIMITERS = [';', ','] as const
export type CsvDelimiter = (typeof CSV_DELIMITERS)[number]

export type CsvCell = string | number | boolean | null | undefined

/**
 * Writes lines of CSV (RFC 4180). An apostrophe before text that a spreadsheet would take for a formula keeps it text.
 * @param bom whether it is the beginning of a file, by whose mark spreadsheets recognise UTF-8
 */
export function toCsv(lines: CsvCell[][], delimiter: CsvDelimiter, bom = false): string {
  return stringify(lines, {
    delimiter,
    bom,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    escape_formulas: true,
    cast: { boolean: String },
  })
}
