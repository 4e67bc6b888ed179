const BEGINNING = 4096

/**
 * The text of a page in the encoding that it names itself: by a byte order mark, in its `Content-Type`, or in its
 * first 4 KB. Unknown names count as UTF-8, and what can't be read is U+FFFD.
 */
export function decodeHtml(bytes: Buffer, contentType: string | undefined): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return decode(bytes, 'utf-8')
  const beginning = bytes.subarray(0, BEGINNING).toString('latin1')
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
