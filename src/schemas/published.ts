import type { Readable } from 'node:stream'
import { FileOf, Text } from './common.ts'

/** A feed or the sitemap, with what clients send to ask whether it has changed. */
export const PublishedFile = FileOf<Readable | undefined>('application/xml', 'The file', {
  ETag: Text('For `If-None-Match`'),
  'Last-Modified': Text('Time of the build'),
})
