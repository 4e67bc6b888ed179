const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const MAX_LENGTH = 512

/** Reads the trace id of a `traceparent` header (W3C Trace Context); null if the header is malformed. */
export function traceIdOf(header: string): string | null {
  if (header.length > MAX_LENGTH) return null
  const [, version, traceId, parentId, rest] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || traceId === undefined || parentId === undefined) return null
  // Only later versions may have further parts; ff is no version.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null
  return /^0+$/.test(traceId) || /^0+$/.test(parentId) ? null : traceId
}
