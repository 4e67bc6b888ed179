import { readWeights } from '../text.ts'

/** Content codings that the service produces, the best first. */
export const ENCODINGS = ['zstd', 'br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

type Validators = { etag: string; modified?: { at: Date; now: Date } }
type Conditions = { 'if-none-match'?: string; 'if-modified-since'?: string }

/** Whether the client has this representation and gets a 304 (RFC 9110, section 13.2.2). */
export function isUnchanged(headers: Conditions, { etag, modified }: Validators): boolean {
  const known = headers['if-none-match']
  if (known !== undefined) return matchTag(known, [etag]) !== undefined
  const since = Date.parse(headers['if-modified-since'] ?? '')
  if (modified === undefined || isAhead(since, modified.now)) return false
  // HTTP dates have whole seconds.
  return Math.floor(modified.at.getTime() / 1000) * 1000 <= since
}

/** Whether a time is in the future by more than the clocks of instances may differ: it is of a clock that was wrong. */
export const isAhead = (time: number, now: Date) => time > now.getTime() + 3_600_000

/** The first of the ETags that an If-None-Match header lists. */
export function matchTag(header: string, etags: string[]): string | undefined {
  const known = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes('*') ? etags[0] : etags.find((etag) => known.includes(etag))
}

/** The strong ETag of a document in an encoding: its bytes differ from those of the others. */
export function etagOf(version: string, encoding: Encoding | 'identity'): string {
  return encoding === 'identity' ? `"${version}"` : `"${version}-${encoding}"`
}

/**
 * Chooses the coding that an Accept-Encoding header prefers (RFC 9110, section 12.5.3), of equally preferred ones the first
 * offered.
 */
export function chooseEncoding<Offered extends Encoding>(
  header: string | string[] | undefined,
  offered: readonly Offered[],
): Offered | 'identity' {
  if (header === undefined) return 'identity'
  const weights = readWeights(header)
  const weightOf = (name: string) => weights.get(name) ?? weights.get(`x-${name}`) ?? weights.get('*') ?? 0
  const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a))
  if (best === undefined || weightOf(best) === 0) return 'identity'
  return weightOf(best) >= (weights.get('identity') ?? 0) ? best : 'identity'
}
