import { availableParallelism } from 'node:os'
import sharp, { type Sharp } from 'sharp'
import { AppError } from '../errors.ts'
import { type ImageFormat, LONGEST_SIDE, MOST_PIXELS, type VariantFormat } from '../rules/media/formats.ts'
import { createTurns } from './turns.ts'

/** Of the four threads that files and names are looked up with, these may take two at most. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
const CHECKS = { atOnce: 1, mostWaiting: 100, longestMs: 20_000 }
const VARIANTS = { atOnce: AT_ONCE, mostWaiting: 64, longestMs: 10_000 }
/** What takes longer was made to. */
const LONGEST_S = 20

const NOT_TAKEN = 'This is no JPEG, PNG, WebP, GIF or AVIF'

/** Pixels, as it is shown: turned as its EXIF says. */
type Picture = { format: ImageFormat; width: number; height: number }

export type Pictures = {
  /**
   * What the bytes are, whatever they are called; they are decoded once to know that nothing is missing.
   * @throws AppError 415 for all but the formats that are taken, and what is damaged; 413 for more pixels than are
   * taken, before any is decoded; 503 when too many are waiting
   */
  inspect(bytes: Buffer): Promise<Picture>
  /**
   * A smaller one, never a larger; of an animation the first frame, upright, without EXIF and the like.
   * @param original read when it is its turn
   * @param gone nobody waits for it any more
   * @returns null when there is no original
   * @throws AppError 503 when too many are waiting
   */
  draw(
    original: () => Promise<Buffer | null>,
    width: number,
    format: VariantFormat,
    gone: AbortSignal,
  ): Promise<Buffer | null>
}

const FORMATS = new Map<string, ImageFormat>([
  ['jpeg', 'jpeg'],
  ['png', 'png'],
  ['webp', 'webp'],
  ['gif', 'gif'],
  ['heif', 'avif'],
])

// No other decoder ever sees what strangers send.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
})
// One thread for each picture; nothing is kept of it.
sharp.concurrency(1)
sharp.cache(false)

/** Decoding and encoding, off the event loop and a few at a time: neither visitors nor staff can take all of it. */
export function createPictures(): Pictures {
  const checks = createTurns(CHECKS)
  const variants = createTurns(VARIANTS)
  return {
    inspect: (bytes) => checks.take(() => inspect(bytes), new AbortController().signal),
    draw: (original, width, format, gone) =>
      variants.take(async () => {
        const bytes = await original()
        return bytes && draw(bytes, width, format)
      }, gone),
  }
}

async function inspect(bytes: Buffer): Promise<Picture> {
  if (bytes.length === 0) throw unsupported(NOT_TAKEN)
  const options = { limitInputPixels: MOST_PIXELS, sequentialRead: true, failOn: 'error' } as const
  const found = await sharp(bytes, options).metadata().catch(refuse)
  const format = found.compression === 'hevc' ? undefined : FORMATS.get(found.format)
  if (format === undefined) throw unsupported(NOT_TAKEN)
  const { width, height } = found.autoOrient
  if (Math.max(width, height) > LONGEST_SIDE) throw tooManyPixels()
  // Reads every pixel of every frame, and keeps next to nothing of them.
  await sharp(bytes, { ...options, animated: (found.pages ?? 1) > 1 && format !== 'avif' })
    .timeout({ seconds: LONGEST_S })
    .resize(8, 8, { fit: 'fill', fastShrinkOnLoad: false })
    .raw()
    .toBuffer()
    .catch(refuse)
  return { format, width, height }
}

function refuse(error: unknown): never {
  const message = error instanceof Error ? error.message : ''
  if (/exceeds pixel limit/.test(message)) throw tooManyPixels()
  if (/unsupported image format/.test(message)) throw unsupported(NOT_TAKEN)
  throw unsupported('The image is damaged, or not all of it has come')
}

function unsupported(message: string): AppError {
  return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', message)
}

function tooManyPixels(): AppError {
  const message = `The image has more than ${MOST_PIXELS / 1_000_000} megapixels, or a side beyond ${LONGEST_SIDE}`
  return new AppError(413, 'PAYLOAD_TOO_LARGE', message)
}

function draw(original: Buffer, width: number, format: VariantFormat): Promise<Buffer> {
  const drawn = sharp(original, { limitInputPixels: MOST_PIXELS, sequentialRead: true, failOn: 'none' })
    .timeout({ seconds: LONGEST_S })
    .autoOrient()
    .resize({ width, withoutEnlargement: true })
  return encoded(drawn, format).toBuffer()
}

/** More effort costs many times as long and saves a few per cent. */
function encoded(drawn: Sharp, format: VariantFormat): Sharp {
  switch (format) {
    case 'avif':
      return drawn.avif({ quality: 55, effort: 1 })
    case 'webp':
      return drawn.webp({ quality: 78, effort: 2 })
    case 'png':
      return drawn.png()
    case 'jpeg':
      return drawn.jpeg({ quality: 80, progressive: true })
  }
}
