import { crc32, deflateSync } from 'node:zlib'
import { Random } from './random.ts'

/** Width and height in pixels of the original pictures. */
export const ORIGINAL_SIZE = 600

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const COLOURS = 64
const INDEXED_COLOUR = 3

/** Draws a gradient with a disc; the same seed gives the same picture at any size. @returns a PNG file */
export function drawPicture(seed: number, width: number, height: number): Buffer {
  const random = new Random(seed)
  const palette = gradient(random)
  const angle = random.next() * Math.PI * 2
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)]
  const [centreX, centreY, radius] = [0.3 + random.next() * 0.4, 0.3 + random.next() * 0.4, 0.15 + random.next() / 8]
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) {
    const v = y / height
    // Each row begins with its filter type, 0.
    const start = y * (width + 1) + 1
    for (let x = 0; x < width; x += 1) {
      const u = x / width
      const along = ((u - 0.5) * dx + (v - 0.5) * dy) / Math.SQRT2 + 0.5
      const inDisc = (u - centreX) ** 2 + (v - centreY) ** 2 < radius ** 2
      rows[start + x] = Math.floor(Math.min(0.999, Math.max(0, inDisc ? 1 - along : along)) * COLOURS)
    }
  }
  return encodePng(width, height, palette, rows)
}

function gradient(random: Random): Buffer {
  const from = [random.int(0, 255), random.int(0, 255), random.int(0, 255)]
  const to = from.map((channel) => (channel + random.int(90, 166)) % 256)
  const palette = Buffer.alloc(COLOURS * 3)
  for (let colour = 0; colour < COLOURS; colour += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      const share = colour / (COLOURS - 1)
      palette[colour * 3 + channel] = Math.round((from[channel] ?? 0) * (1 - share) + (to[channel] ?? 0) * share)
    }
  }
  return palette
}

function encodePng(width: number, height: number, palette: Buffer, rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, INDEXED_COLOUR, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 3 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(content.length, 0)
  framed.set(typed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}
