import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { TestShop } from './shop.ts'

/** The members of an image that tests use. */
export type Image = {
  id: number
  url: string
  sha256: string
  size: number
  usedBy: object[]
  [field: string]: unknown
}

/** Adds the address without the version of the content, which is that of the record. */
export function withPath(image: Image): Image & { path: string } {
  return { ...image, path: `/api/v1/images/${image.id}` }
}

let count = 0

/** A form that uploads a file. */
export function imageForm(bytes: Buffer, name = 'a.png'): FormData {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(bytes)], name))
  return form
}

/** Deletes all images, their rows and objects. */
export async function deleteImages({ deps: { db, storage } }: TestShop): Promise<void> {
  await db.deleteFrom('images').execute()
  const objects = await Array.fromAsync(storage.list(''))
  await storage.delete(objects.map(({ key }) => key))
}

/** Creates a small image with unique content. */
export function newImage(
  { width = 40, height = 30 } = {},
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' = 'png',
): Promise<Buffer> {
  count += 1
  const background = { r: count & 255, g: (count >> 8) & 255, b: 90 }
  const picture = sharp({ create: { width, height, channels: 3, background } })
  return (format === 'jpeg' ? picture.jpeg({ quality: 100 }) : picture.toFormat(format)).toBuffer()
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(content), 4)
  return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)])
}

/** Creates a tiny PNG whose header claims these dimensions. */
export function claimedPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(1000))), chunk('IEND', Buffer.alloc(0))],
  ])
}

/** Pads an image to this size; decoders ignore bytes after its end. */
export async function imageOfBytes(bytes: number): Promise<Buffer> {
  const image = await newImage({}, 'jpeg')
  return Buffer.concat([image, Buffer.alloc(bytes - image.length)])
}

/** Creates a GIF with square frames. */
export async function animation(side: number, frames: number): Promise<Buffer> {
  const pictures = Array.from({ length: frames }, (_, frame) => {
    const background = { r: (frame * 20) & 255, g: 0, b: 0 }
    return sharp({ create: { width: side, height: side, channels: 3, background } })
      .png()
      .toBuffer()
  })
  return sharp(await Promise.all(pictures), { join: { animated: true } })
    .gif({ effort: 1 })
    .toBuffer()
}
