import { beginningOf, readName } from '../text.ts'

/** Formats that may be uploaded (docs/content.md), detected from the bytes. */
export const IMAGE_FORMATS = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  webp: { contentType: 'image/webp', extension: 'webp' },
  gif: { contentType: 'image/gif', extension: 'gif' },
  avif: { contentType: 'image/avif', extension: 'avif' },
} as const
export type ImageFormat = keyof typeof IMAGE_FORMATS

export const MAX_IMAGE_BYTES = 15 * 1024 * 1024
/** All frames of an animation together. */
export const MAX_PIXELS = 50_000_000
/** Each frame costs time to decode, however small it is. */
export const MAX_FRAMES = 1000
/** WebP's limit. */
export const MAX_SIDE_PX = 16_383

/** A fixed list, so that clients can't request any number of variants. */
export const VARIANT_WIDTHS = [160, 320, 480, 640, 960, 1280, 1920] as const
export const MAX_VARIANT_WIDTH: VariantWidth = 1920
export type VariantWidth = (typeof VARIANT_WIDTHS)[number]
export type VariantFormat = Exclude<ImageFormat, 'gif'>

const MAX_FILE_NAME_LENGTH = 200

/** Returns the last part of the path, on one line and short enough to store; or a default name. */
export function cleanFileName(sent: string | undefined, format: ImageFormat): string {
  const name = readName((sent ?? '').toWellFormed().replace(/^.*[/\\]/s, ''))
  return beginningOf(name, MAX_FILE_NAME_LENGTH).trim() || `image.${IMAGE_FORMATS[format].extension}`
}

export function formatOf(contentType: string): ImageFormat | undefined {
  const formats = Object.keys(IMAGE_FORMATS).filter((name): name is ImageFormat => name in IMAGE_FORMATS)
  return formats.find((format) => IMAGE_FORMATS[format].contentType === contentType)
}
