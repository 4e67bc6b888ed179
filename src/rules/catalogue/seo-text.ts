import { invalid } from '../../errors.ts'

/** Contract section 4: of JSON in UTF-8. */
const MAX_BYTES = 64 * 1024

/**
 * A text under a listing as it is stored: the same document again, whatever its members mean to the storefront.
 * @returns its JSON; null: none; undefined: it was not sent
 * @throws AppError 400
 */
export function readSeoText(doc: { [key: string]: unknown } | null | undefined): string | null | undefined {
  if (doc === undefined || doc === null) return doc
  let finite = true
  const json = JSON.stringify(doc, (_key, value: unknown) => {
    // 1e400 is a number in JSON, and in JavaScript one that JSON can't hold.
    if (typeof value === 'number' && !Number.isFinite(value)) finite = false
    return value
  })
  if (!finite) throw invalid({ path: 'seoTextDoc', message: 'holds a number that is too large' })
  if (Buffer.byteLength(json) > MAX_BYTES) {
    throw invalid({ path: 'seoTextDoc', message: `must have at most ${MAX_BYTES} bytes as JSON` })
  }
  return json
}
