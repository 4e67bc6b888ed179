import sharp, { type Sharp } from 'sharp'
import { AppError } from '../../errors.ts'
import { type ImageFormat, MAX_PIXELS, MAX_SIDE_PX, type VariantFormat } from '../../rules/media/formats.ts'

/** What takes longer was made to. */
const TIMEOUT_S = 20

const NOT_TAKEN = 'This is no JPEG, PNG, WebP, GIF or AVIF'

/** Pixels, as it is shown: turned as its EXIF says. */
export type Picture = { format: ImageFormat; width: number; height: number }

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

/** What the bytes are, all of them decoded. @throws AppError as said in pictures.ts */
export async function inspect(bytes: Buffer): Promise<Picture> {
  if (bytes.length === 0) throw unsupported(NOT_TAKEN)
  const options = { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' } as const
  const found = await sharp(bytes, options).metadata().catch(refuse)
  const format = found.compression === 'hevc' ? undefined : FORMATS.get(found.format)
  if (format === undefined) throw unsupported(NOT_TAKEN)
  const { width, height } = found.autoOrient
  if (Math.max(width, height) > MAX_SIDE_PX) throw tooManyPixels()
  // Reads every pixel of every frame, and keeps next to nothing of them.
  await sharp(bytes, { ...options, animated: (found.pages ?? 1) > 1 && format !== 'avif' })
    .timeout({ seconds: TIMEOUT_S })
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
  const message = `The image has more than ${MAX_PIXELS / 1_000_000} megapixels, or a side beyond ${MAX_SIDE_PX}`
  return new AppError(413, 'PAYLOAD_TOO_LARGE', message)
}

/** A smaller one, upright. */
export function draw(original: Buffer, width: number, format: VariantFormat): Promise<Buffer> {
  const drawn = sharp(original, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'none' })
    .timeout({ seconds: TIMEOUT_S })
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
