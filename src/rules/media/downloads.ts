import {
  IMAGE_FORMATS,
  type ImageFormat,
  VARIANT_WIDTHS,
  type VariantFormat,
  type VariantWidth,
} from './formats.ts'

/** Both included. */
export type Range = { start: number; end: number }

/**
 * What a Range header asks of a body of so many bytes (RFC 9110, section 14): a piece; all of it, where nothing is
 * asked, or several pieces, or what can't be read; or `unsatisfiable`.
 */
export function readRange(header: string | undefined, size: number): Range | 'all' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return 'all'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return 'all'
  return start >= size ? 'unsatisfiable' : { start, end }
}

/** Whether the condition of a range holds: the caller's piece is of this very version. A date proves nothing. */
export function holdsIfRange(ifRange: string, etag: string): boolean {
  return ifRange.trim() === etag
}

/**
 * The format of a variant: AVIF or else WebP for who names it as acceptable, otherwise that of the original, or PNG for
 * a frame of a GIF. Wildcards say nothing: old browsers send them and show neither.
 */
export function chooseFormat(original: ImageFormat, accept: string | undefined): VariantFormat {
  for (const format of ['avif', 'webp'] as const)
    if (names(accept, IMAGE_FORMATS[format].contentType)) return format
  return original === 'gif' ? 'png' : original
}

function names(accept: string | undefined, type: string): boolean {
  return (accept ?? '')
    .toLowerCase()
    .split(',')
    .some((part) => {
      const [name, ...parameters] = part.split(';').map((piece) => piece.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return name === type && Number(quality?.slice(2) ?? 1) > 0
    })
}

/** Of all widths that would give the same picture, since none is enlarged, the first: it is made and kept once. */
export function widthOfVariant(asked: VariantWidth, original: number): VariantWidth {
  return VARIANT_WIDTHS.find((width) => width >= original && width < asked) ?? asked
}

/** `Content-Disposition`, for who saves it: the name in UTF-8, and for old readers in ASCII. */
export function inlineAs(fileName: string, format: ImageFormat): string {
  const { extension } = IMAGE_FORMATS[format]
  const bare = fileName.replace(/\.[^.]*$/, '') || fileName
  const name = `${bare}.${extension}`
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  )
  return `inline; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
