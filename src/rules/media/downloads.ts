import { AppError } from '../../errors.ts'
import { readWeights } from '../text.ts'
import { IMAGE_FORMATS, type ImageFormat, VARIANT_WIDTHS, type VariantFormat, type VariantWidth } from './formats.ts'

/** Both ends are inclusive. */
export type Range = { start: number; end: number }

/**
 * Parses a Range header (RFC 9110, section 14).
 * @param size bytes of the whole body
 * @returns undefined for the whole body: no header, a malformed one, or one with several ranges
 * @throws AppError 416
 */
export function readRange(header: string | undefined, size: number): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start > end) {
    const headers = { 'content-range': `bytes */${size}` }
    throw new AppError(416, 'RANGE_NOT_SATISFIABLE', `The image has ${size} bytes`, { headers })
  }
  return { start, end }
}

/**
 * Chooses the format of a variant: of AVIF and WebP the one that `Accept` prefers, if it names either, otherwise the
 * original's, or PNG for a GIF. Wildcards don't count, since old browsers send them without support for either.
 */
export function chooseFormat(original: ImageFormat, accept: string | undefined): VariantFormat {
  const weights = readWeights(accept)
  const weightOf = (format: VariantFormat) => weights.get(IMAGE_FORMATS[format].contentType) ?? 0
  const [avif, webp] = [weightOf('avif'), weightOf('webp')]
  if (Math.max(avif, webp) > 0) return avif >= webp ? 'avif' : 'webp'
  return original === 'gif' ? 'png' : original
}

/** Since variants are never enlarged, all widths beyond the original give the same image: the first one is used. */
export function widthOfVariant(requested: VariantWidth, original: number): VariantWidth {
  return VARIANT_WIDTHS.find((width) => width >= original && width < requested) ?? requested
}
