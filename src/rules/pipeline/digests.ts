const DIGITS = 8

/**
 * Eight hexadecimal digits that tell two texts apart (FNV-1a over UTF-16, two units at a time): to see that something
 * changed, not to trust in it.
 */
export function digestOf(text: string): string {
  // What a parser cut out of a longer text is slow to read one character at a time.
  const bytes = Buffer.from(text, 'utf16le')
  const pairs = bytes.length - (bytes.length % 4)
  let hash = 0x811c9dc5 ^ bytes.length
  for (let at = 0; at < pairs; at += 4) hash = Math.imul(hash ^ bytes.readInt32LE(at), 0x01000193)
  if (pairs < bytes.length) hash = Math.imul(hash ^ bytes.readUInt16LE(pairs), 0x01000193)
  return (hash >>> 0).toString(16).padStart(DIGITS, '0')
}

/** Which of the fields differ, given the digests of each, one after the other. */
export function changedFields<Field extends string>(
  fields: readonly Field[],
  before: string,
  after: string,
): Field[] {
  const part = (digests: string, index: number) => digests.slice(index * DIGITS, (index + 1) * DIGITS)
  return fields.filter((_, index) => part(before, index) !== part(after, index))
}
