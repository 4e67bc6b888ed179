/** A whole answer as it goes out: JSON in UTF-8. */
export type JsonBytes = Buffer

export function toJsonBytes(value: object): JsonBytes {
  return Buffer.from(JSON.stringify(value))
}

/** The record's answer, or the slug under which it is now. */
export type BySlug = { json: JsonBytes } | { movedTo: string }
