import { Random } from './random.ts'

/** Draws a gradient between four colours; the same seed gives the same picture at any size. @returns a PNG file */
export async function drawPicture(seed: number, width: number, height: number): Promise<Buffer> {
  // Loaded at the first picture: the shop starts the demo supplier in its own process.
  const { default: sharp } = await import('sharp')
  const random = new Random(seed)
  const corners = Uint8Array.from({ length: 4 * 3 }, () => random.int(0, 255))
  return await sharp(corners, { raw: { width: 2, height: 2, channels: 3 } })
    .resize(width, height, { fit: 'fill' })
    .png({ compressionLevel: 3 })
    .toBuffer()
}
