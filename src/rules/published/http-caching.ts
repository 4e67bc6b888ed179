type Validators = { etag: string; lastModified?: Date }
type Conditions = { 'if-none-match'?: string | undefined; 'if-modified-since'?: string | undefined }

/** Whether the client has this representation and gets a 304 (RFC 9110, section 13.2.2). */
export function isUnchanged(headers: Conditions, { etag, lastModified }: Validators): boolean {
  const known = headers['if-none-match']
  if (known !== undefined) {
    return known.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  }
  if (lastModified === undefined) return false
  const since = Date.parse(headers['if-modified-since'] ?? '')
  // HTTP dates have whole seconds.
  return Math.floor(lastModified.getTime() / 1000) * 1000 <= since
}

/** Whether an Accept-Encoding header allows a coding, by name or through `*`, without `q=0`. */
export function accepts(header: string | string[] | undefined, coding: 'br' | 'gzip'): boolean {
  const weights = new Map<string, number>()
  for (const part of `${header ?? ''}`.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name === 'x-gzip' ? 'gzip' : name, quality === undefined ? 1 : Number(quality) || 0)
  }
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0
}
