import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'

/** A 200 with prebuilt XML, for GET and HEAD. */
export function Prebuilt(description: string) {
  return {
    description,
    headers: {
      ETag: Type.String({ description: 'For `If-None-Match`' }),
      'Last-Modified': Type.String({ description: 'Time of the build' }),
    },
    content: {
      'application/xml': { schema: Type.Unsafe<Readable | undefined>(Type.String({ description: 'XML' })) },
    },
  }
}

export const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'Not modified' }))

export const SitemapPartParams = Type.Object({
  part: Type.String({ maxLength: 10, description: 'Number of the part, from 1', examples: ['1'] }),
})
