/** Part of a message, in the order of the stream. */
type Piece = { bytes: Buffer; ends: boolean }

/** Cuts a stream into messages, as its bytes arrive. */
export type Splitter = (chunk: Buffer) => Piece[]

/** Takes each chunk for a message: right for protocols in which client and server take turns (HTTP, SMTP). */
export const splitChunks = (): Splitter => (bytes) => [{ bytes, ends: true }]

/** Requests end with Query, Sync, Terminate or a password; the parts before Sync have no effect of their own. */
const REQUEST_ENDS = ['Q', 'S', 'X', 'p']
/** Answers end with ReadyForQuery or a request for a password; notifications come unasked. */
const ANSWER_ENDS = ['Z', 'R', 'A']

/** Cuts PostgreSQL's protocol into requests or answers, each of several frames with a length prefix. */
export function splitPostgres(direction: 'request' | 'answer'): Splitter {
  const ends = direction === 'request' ? REQUEST_ENDS : ANSWER_ENDS
  // The first frame of a client has no type.
  let headerLength = direction === 'request' ? 4 : 5
  let header = Buffer.alloc(0)
  let remaining = 0
  let isLast = false

  return (chunk) => {
    const pieces: Piece[] = []
    let from = 0
    for (let at = 0; at < chunk.length; ) {
      if (remaining === 0) {
        const part = chunk.subarray(at, at + headerLength - header.length)
        header = Buffer.concat([header, part])
        at += part.length
        if (header.length < headerLength) break
        remaining = header.readInt32BE(headerLength - 4) - 4
        isLast = headerLength === 4 || ends.includes(String.fromCharCode(header[0] ?? 0))
        headerLength = 5
        header = Buffer.alloc(0)
      }
      const step = Math.min(remaining, chunk.length - at)
      remaining -= step
      at += step
      if (remaining > 0 || !isLast) continue
      pieces.push({ bytes: chunk.subarray(from, at), ends: true })
      from = at
      isLast = false
    }
    if (from < chunk.length) pieces.push({ bytes: chunk.subarray(from), ends: false })
    return pieces
  }
}
