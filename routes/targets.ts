import { IdParams, VersionHeaders } from '../src/schemas/common.ts'

/** The input of a route that writes a versioned record. */
export const VERSIONED = { params: IdParams, headers: VersionHeaders }

/** Names the record to write, and its version if the caller sent one (contract section 1, "Lost updates"). */
export function targetOf<Params>({
  params,
  headers,
}: {
  params: Params
  headers: { 'if-match'?: string }
}): Params & { ifMatch: string | undefined } {
  return { ...params, ifMatch: headers['if-match'] }
}
