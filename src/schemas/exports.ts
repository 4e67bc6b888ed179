import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { CSV_DELIMITERS } from '../rules/csv.ts'
import { Enum, ref } from './common.ts'

export const CsvDelimiter = Enum(CSV_DELIMITERS, {
  $id: 'CsvDelimiter',
  description: 'Character between the cells of a line',
})

/** `delimiter` of an export. */
export const CsvQuery = Type.Object({
  delimiter: ref(CsvDelimiter, { default: ';', examples: [','] }),
})

/** A 200 with a CSV file. */
export const CsvFile = {
  description: 'CSV in UTF-8 with a byte order mark, its first line being the names of the columns',
  headers: {
    'Content-Disposition': Type.String({ description: 'Name of the file' }),
  },
  content: {
    'text/csv': { schema: Type.Unsafe<Readable>(Type.String({ description: 'CSV' })) },
  },
}
