import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import * as t from './common.ts'

/** A 200 with prebuilt XML, for GET and HEAD. */
export function Prebuilt(description: string) {
  return {
    description,
    headers: {
      ETag: t.Text('For `If-None-Match`'),
      'Last-Modified': t.Text('Time of the build'),
    },
    content: {
      'application/xml': { schema: Type.Unsafe<Readable | undefined>(t.Text('XML')) },
    },
  }
}

export const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'Not modified' }))
