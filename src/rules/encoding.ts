/** The first bytes that show an encoding: byte order marks, and XML's first character in UTF-16. */
const SIGNATURES = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
  { encoding: 'utf-16le', bytes: [0x3c, 0] },
  { encoding: 'utf-16be', bytes: [0, 0x3c] },
]

/** Of a document, where it may name its encoding. */
const BEGINNING_BYTES = 4096

/**
 * The encoding of a document: by its first bytes, else by its `Content-Type`, else by what it says itself (RFC 7303,
 * section 3; HTML, "Determining the character encoding").
 * @param declaration finds the name in the document, as its first group
 * @returns undefined if nothing names one
 */
export function encodingOf(bytes: Uint8Array, contentType = '', declaration?: RegExp): string | undefined {
  const shown = SIGNATURES.find((signature) => signature.bytes.every((byte, at) => bytes[at] === byte))
  const [, given = ''] = /;\s*charset\s*=\s*["']?([^\s"';,]{1,40})/i.exec(contentType) ?? []
  const encoding = shown?.encoding ?? (isEncoding(given) ? given : undefined)
  if (encoding !== undefined || declaration === undefined) return encoding
  const [, declared] = declaration.exec(Buffer.from(bytes.subarray(0, BEGINNING_BYTES)).toString('latin1')) ?? []
  // Some programs declare UTF-16, in which the declaration couldn't be read, and write UTF-8.
  return declared && /^utf-?16/i.test(declared) ? 'utf-8' : declared
}

export function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== ''
  } catch {
    return false
  }
}
