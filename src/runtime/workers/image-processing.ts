import PQueue from 'p-queue'
import sharp, { type Metadata } from 'sharp'
import { AppError, messageOf } from '../../errors.ts'
import { type Fault, type FaultReason, sentenceOf } from '../../rules/faults/sentences.ts'
import { formatOf, MAX_FRAMES, MAX_PIXELS, MAX_SIDE_PX, type VariantFormat } from '../../rules/media/formats.ts'

/** Only an adversarial image takes longer. */
const TIMEOUT_S = 20

/** Larger images are decoded one at a time: one of 50 megapixels takes 900 MB of the 2 GB that the process may use. */
const MAX_PARALLEL_PIXELS = 10_000_000
const largeImages = new PQueue({ concurrency: 1 })
const inTurn = <T>(pixels: number, decode: () => Promise<T>): Promise<T> =>
  pixels > MAX_PARALLEL_PIXELS ? largeImages.add(decode) : decode()

// Untrusted bytes reach no other decoder.
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
// One thread per image, and no cache.
sharp.concurrency(1)
sharp.cache(false)

/**
 * Decodes the whole image.
 * @returns the bytes to store, which are others if these say where the picture was taken; pixels in the display orientation
 *   of the EXIF data
 */
export async function inspect(bytes: Buffer) {
  if (bytes.length === 0) throw unsupported('NOT_IMAGE')
  const options = { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error' } as const
  const metadata = await sharp(bytes, options).metadata().catch(throwAppError)
  const format = formatOf(`image/${metadata.compression === 'av1' ? 'avif' : metadata.format}`)
  if (format === undefined) throw unsupported('NOT_IMAGE')
  const { width, height } = metadata.autoOrient
  const frames = metadata.pages ?? 1
  if (Math.max(width, height) > MAX_SIDE_PX || width * height * frames > MAX_PIXELS) throw tooManyPixels()
  if (frames > MAX_FRAMES) throw tooLarge({ code: 'TOO_MANY_FRAMES', params: { max: MAX_FRAMES } })
  // Decodes every pixel of every frame, with little memory.
  const decoded = sharp(bytes, { ...options, animated: frames > 1 && format !== 'avif' })
    .timeout({ seconds: TIMEOUT_S })
    .resize(8, 8, { fit: 'fill', fastShrinkOnLoad: false })
    .raw()
  await inTurn(width * height, () => decoded.toBuffer()).catch(throwAppError)
  if (!hasLocation(metadata)) return { bytes, format, width, height }
  const stripped = sharp(bytes, { ...options, animated: frames > 1 && format !== 'avif' })
    .timeout({ seconds: TIMEOUT_S })
    .autoOrient()
    .keepIccProfile()
    .toFormat(format, STORED[format])
  return { bytes: await inTurn(width * height, () => stripped.toBuffer()), format, width, height }
}

/** EXIF refers to the location by this tag, of one 32-bit number, in either byte order. */
const GPS_TAGS = ['2588040001000000', '8825000400000001'].map((tag) => Buffer.from(tag, 'hex'))

function hasLocation({ exif, xmp }: Metadata): boolean {
  return GPS_TAGS.some((tag) => exif?.includes(tag)) || xmp?.includes('GPSL') === true
}

/** So that nobody sees that an image was encoded again. */
const STORED = {
  jpeg: { quality: 92, chromaSubsampling: '4:4:4' },
  png: {},
  webp: { quality: 92 },
  gif: {},
  avif: { quality: 75, effort: 1 },
}

function throwAppError(error: unknown): never {
  const message = messageOf(error)
  if (/exceeds pixel limit/.test(message)) throw tooManyPixels()
  if (/unsupported image format/.test(message)) throw unsupported('NOT_IMAGE')
  throw unsupported('DAMAGED_IMAGE')
}

function unsupported(code: 'NOT_IMAGE' | 'DAMAGED_IMAGE'): AppError {
  const fault: Fault = { path: 'file', code }
  return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', sentenceOf(fault, 'en'), { faults: [fault] })
}

function tooLarge(reason: FaultReason): AppError {
  const fault: Fault = { path: 'file', ...reason }
  return new AppError(413, 'PAYLOAD_TOO_LARGE', sentenceOf(fault, 'en'), { faults: [fault] })
}

function tooManyPixels(): AppError {
  const params = { megapixels: MAX_PIXELS / 1_000_000, side: MAX_SIDE_PX }
  return tooLarge({ code: 'TOO_MANY_PIXELS', params })
}

/** More effort takes many times as long and saves a few per cent. */
const ENCODING = {
  avif: { quality: 55, effort: 1 },
  webp: { quality: 78, effort: 2 },
  png: {},
  jpeg: { quality: 80, progressive: true },
}

/** Draws a smaller image in display orientation. What is transparent becomes white in a JPEG. */
export async function draw(original: Buffer, width: number, format: VariantFormat): Promise<Buffer> {
  const image = sharp(original, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'none' })
  const size = await image.metadata()
  const resized = image.timeout({ seconds: TIMEOUT_S }).autoOrient().resize({ width, withoutEnlargement: true })
  const opaque = format === 'jpeg' ? resized.flatten({ background: '#fff' }) : resized
  return inTurn(size.width * size.height, () => opaque.toFormat(format, ENCODING[format]).toBuffer())
}
