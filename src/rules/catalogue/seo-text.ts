import { invalid } from '../../errors.ts'

/** Of JSON in UTF-8 (contract section 4). */
const MAX_BYTES = 64 * 1024

/**
 * Serializes the document under a listing; its members have a meaning only to the storefront.
 * @throws AppError 400
 */
export function readSeoText(doc: { [key: string]: unknown } | null): string | null {
  if (doc === null) return null
  let finite = true
  const json = JSON.stringify(doc, (_key, value: unknown) => {
    // 1e400 is valid JSON, but parses to Infinity, which JSON can't represent.
    if (typeof value === 'number' && !Number.isFinite(value)) finite = false
    return value
  })
  if (!finite) throw invalid({ path: 'seoTextDoc', message: 'contains a number that is too large' })
  if (Buffer.byteLength(json) > MAX_BYTES) {
    throw invalid({ path: 'seoTextDoc', message: `must have at most ${MAX_BYTES} bytes as JSON` })
  }
  return json
}
