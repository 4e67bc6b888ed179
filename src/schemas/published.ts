import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { described, Id } from './common.ts'

/** A 200 with XML that was built before, for GET and HEAD. */
export function Prebuilt(description: string) {
  return {
    description,
    headers: {
      ETag: Type.String({ description: 'To be sent back as If-None-Match' }),
      'Last-Modified': Type.String({ description: 'When it was built' }),
    },
    content: {
      'application/xml': { schema: Type.Unsafe<Readable | undefined>(Type.String({ description: 'XML' })) },
    },
  }
}

export const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'The caller has this one' }))

export const SitemapPartParams = Type.Object({ part: described(Id, 'Which part, from 1') })
