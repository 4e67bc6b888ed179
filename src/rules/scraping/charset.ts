const SNIFFED_BYTES = 4096

/**
 * Decodes a page in the encoding given by its byte order mark, its `Content-Type` or its first 4 KB; by default, and for
 * unknown encodings, UTF-8. Invalid bytes become U+FFFD.
 */
export function decodeHtml(bytes: Buffer, contentType: string | undefined): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return decode(bytes, 'utf-8')
  const beginning = bytes.subarray(0, SNIFFED_BYTES).toString('latin1')
  return decode(bytes, charsetOf(contentType ?? '') ?? charsetOf(beginning) ?? 'utf-8')
}

function charsetOf(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text)?.[1]
}

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
