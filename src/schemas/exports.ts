import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { CSV_DELIMITERS } from '../rules/csv.ts'
import { NamedEnum, ref, Text } from './common.ts'

export const CsvDelimiter = NamedEnum('CsvDelimiter', 'Character between the cells of a line', CSV_DELIMITERS)

/** `delimiter` of an export. */
export const CsvQuery = Type.Object({
  delimiter: ref(CsvDelimiter, { default: ';', description: 'Character between the cells of a line' }),
})

/** A 200 with a CSV file. */
export const CsvFile = {
  description: 'CSV in UTF-8 with a byte order mark, its first line being the names of the columns',
  headers: {
    'Content-Disposition': Text('Name of the file'),
  },
  content: {
    'text/csv': { schema: Type.Unsafe<Readable>(Text('CSV')) },
  },
}
