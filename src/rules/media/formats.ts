import { beginningOf, oneLine } from '../text.ts'

/** Contract section 7: what may be uploaded, as the bytes say and not the name. */
export const IMAGE_FORMATS = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  webp: { contentType: 'image/webp', extension: 'webp' },
  gif: { contentType: 'image/gif', extension: 'gif' },
  avif: { contentType: 'image/avif', extension: 'avif' },
} as const
export type ImageFormat = keyof typeof IMAGE_FORMATS

/** 15 MB. */
export const MAX_IMAGE_BYTES = 15 * 1024 * 1024
/** All frames of an animation together. */
export const MAX_PIXELS = 50_000_000
/** What the WebP of a variant can have. */
export const MAX_SIDE_PX = 16_383

/** What variants are made of: a fixed list, so that nobody can have any number of them made. */
export const VARIANT_WIDTHS = [160, 320, 480, 640, 960, 1280, 1920] as const
export type VariantWidth = (typeof VARIANT_WIDTHS)[number]
export type VariantFormat = Exclude<ImageFormat, 'gif'>

const MAX_FILE_NAME_LENGTH = 200

/** The last part of what the sender called the file, on one line; whatever it was, it can be stored and shown. */
export function cleanFileName(sent: string | undefined, format: ImageFormat): string {
  const name = oneLine((sent ?? '').toWellFormed().replace(/^.*[/\\]/s, ''))
  return beginningOf(name, MAX_FILE_NAME_LENGTH).trim() || `image.${IMAGE_FORMATS[format].extension}`
}

export function formatOf(contentType: string): ImageFormat | undefined {
  const formats = Object.keys(IMAGE_FORMATS).filter((name): name is ImageFormat => name in IMAGE_FORMATS)
  return formats.find((format) => IMAGE_FORMATS[format].contentType === contentType)
}
