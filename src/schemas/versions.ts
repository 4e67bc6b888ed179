import { Type } from '@sinclair/typebox'

/** `If-Match: "<version>"` of a write (docs/http.md). */
export const VersionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The expected `version`, quoted; another one is a 412',
      examples: ['"3"'],
    }),
  ),
})

/** The record that a request writes, and the version that its caller expects. */
export function targetOf<Params>({ params, headers }: { params: Params; headers: { 'if-match'?: string } }) {
  return { ...params, ifMatch: headers['if-match'] }
}
