/** What two feeds are compared by; `other` is all the rest of an offer. Their order is stored: new ones go to the end. */
export const OFFER_FIELDS = [
  'name',
  'price',
  'available',
  'category',
  'vendor',
  'description',
  'url',
  'pictures',
  'params',
  'other',
] as const

const DIGITS = 8
const PRIME = 0x01000193
const BASIS = 0x811c9dc5
/** From so many characters on a copy pays: what a parser cut out of a longer text is slow to read one by one. */
const LONG = 32
const scratch = Buffer.alloc(16 * 1024)

/**
 * Eight hexadecimal digits that tell two texts apart (FNV-1a over UTF-16): to see that something changed, not to trust
 * in it.
 */
export function digestOf(text: string): string {
  const hash = text.length < LONG ? shortDigest(text) : longDigest(text)
  return (hash >>> 0).toString(16).padStart(DIGITS, '0')
}

function shortDigest(text: string): number {
  let hash = BASIS
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return hash
}

/** Two characters at a time. */
function longDigest(text: string): number {
  const bytes = text.length > scratch.length / 2 ? Buffer.from(text, 'utf16le') : scratch
  const length = bytes === scratch ? scratch.write(text, 'utf16le') : bytes.length
  const pairs = length - (length % 4)
  let hash = BASIS ^ length
  for (let at = 0; at < pairs; at += 4) hash = Math.imul(hash ^ bytes.readInt32LE(at), PRIME)
  return pairs < length ? Math.imul(hash ^ bytes.readUInt16LE(pairs), PRIME) : hash
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
