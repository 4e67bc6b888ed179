import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deleteOrphans, storeImage } from '../../../src/services/media/store.ts'
import { animation, claimedPng, imageOfBytes, newImage } from '../../support/images.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const LARGEST = 15 * 1024 * 1024

let shop: TestShop
let other: TestShop
beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
})
afterAll(async () => {
  await other.close()
  await shop.close()
})
afterEach(async () => {
  await shop.deps.db.deleteFrom('images').execute()
  await deleteAll()
})

const store = (bytes: Buffer, fileName = 'a.png', on = shop) => storeImage(on.deps, { bytes, fileName })
const objects = async () => (await Array.fromAsync(shop.deps.storage.list(''))).map(({ key }) => key)
const deleteAll = async () => shop.deps.storage.delete(await objects())
const rows = () => shop.deps.db.selectFrom('images').selectAll().orderBy('id').execute()

test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
  '%s is taken for what it is, whatever it is called',
  async (format) => {
    const bytes = await newImage({ width: 31, height: 17 }, format)
    const { id, created } = await store(bytes, 'C:\\photos\\invoice.html')
    expect(created).toBe(true)
    const [row] = await rows()
    expect(row).toMatchObject({
      id,
      file_name: 'invoice.html',
      content_type: `image/${format}`,
      size: bytes.length,
      width: 31,
      height: 17,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    expect(await objects()).toEqual([`${row?.storage_key}/original`])
  },
)

test('a rotated image has the size of its display orientation', async () => {
  const bytes = await sharp(await newImage({ width: 31, height: 17 }))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  await store(bytes)
  expect(await rows()).toMatchObject([{ width: 17, height: 31 }])
})

test.each([
  [undefined, 'image.png'],
  ['', 'image.png'],
  ['/etc/passwd', 'passwd'],
  ['a/b\\..', '..'],
  ['с\0не\ud800г\r\nX: y.png', 'с не\ufffdг X: y.png'],
  ['x'.repeat(300), 'x'.repeat(200)],
  [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
])('stores a file called %j as %j', async (sent, kept) => {
  await storeImage(shop.deps, { bytes: await newImage(), fileName: sent })
  expect((await rows())[0]?.file_name).toBe(kept)
})

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
const REFUSED: [string, () => Buffer | Promise<Buffer>][] = [
  ['nothing', () => Buffer.alloc(0)],
  ['SVG', () => Buffer.from(svg)],
  ['SVG behind an XML declaration', () => Buffer.from(`<?xml version="1.0"?>\n${svg}`)],
  ['HTML', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['PDF', () => Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj')],
  ['a GIF in name only', () => Buffer.from('GIF89a/*<script>*/=1;alert(1)//')],
  [
    'TIFF',
    async () =>
      sharp(await newImage())
        .tiff()
        .toBuffer(),
  ],
  ['random bytes', () => createHash('sha512').update('x').digest()],
  ...(['jpeg', 'png', 'webp', 'gif', 'avif'] as const).map((format): [string, () => Promise<Buffer>] => [
    `half of a ${format}`,
    async () => {
      const whole = await newImage({ width: 300, height: 300 }, format)
      return whole.subarray(0, Math.floor(whole.length / 2))
    },
  ]),
  [
    'a PNG with a broken piece',
    async () => {
      const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
      const bytes = await sharp({
        create: { width: 200, height: 200, channels: 3, background: '#000', noise },
      })
        .png()
        .toBuffer()
      return bytes.fill(0xab, 5000, 5040)
    },
  ],
]

test.each(REFUSED)('rejects %s with 415 and stores nothing', async (_name, make) => {
  await expect(store(await make(), 'picture.png')).rejects.toMatchObject({
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  })
  expect([await rows(), await objects()]).toEqual([[], []])
})

test('responds 413 beyond the limit of pixels', async () => {
  const tooLarge = { status: 413, code: 'PAYLOAD_TOO_LARGE' }
  await expect(store(claimedPng(30_000, 30_000))).rejects.toMatchObject(tooLarge)
  await expect(store(claimedPng(50_000_001, 1))).rejects.toMatchObject(tooLarge)
  await expect(store(claimedPng(16_384, 10))).rejects.toMatchObject(tooLarge)
  expect([await rows(), await objects()]).toEqual([[], []])
  await store(await imageOfBytes(LARGEST))
  // Not too many: it is decoded, and found to be cut short.
  await expect(store(claimedPng(10_000, 5000))).rejects.toMatchObject({ status: 415 })
  await store(await newImage({ width: 16_383, height: 1 }))
  expect((await rows()).map(({ size }) => size)[0]).toBe(LARGEST)
})

test('counts the pixels of all frames of an animation', async () => {
  await store(await animation(100, 12))
  expect(await rows()).toMatchObject([{ width: 100, height: 100, content_type: 'image/gif' }])
  await expect(store(manyFrames(13, 2000))).rejects.toMatchObject({ status: 413 })
})

test('accepts 1000 frames and refuses more before decoding any', async () => {
  await store(manyFrames(1000))
  expect(await rows()).toMatchObject([{ width: 1, height: 1, content_type: 'image/gif' }])
  await expect(store(manyFrames(1001))).rejects.toMatchObject({
    status: 413,
    message: 'The image has more than 1000 frames',
  })
})

test('stores equal bytes once, also concurrently on several instances', async () => {
  const bytes = await newImage()
  const stored = await Promise.all([
    ...Array.from({ length: 6 }, () => store(bytes)),
    ...Array.from({ length: 6 }, () => store(bytes, 'b.png', other)),
  ])
  const [row, ...more] = await rows()
  expect(more).toEqual([])
  expect(new Set(stored.map(({ id }) => id))).toEqual(new Set([row?.id]))
  expect(stored.filter(({ created }) => created)).toHaveLength(1)
  const everywhere = [
    ...(await objects()),
    ...(await Array.fromAsync(other.deps.storage.list(''))).map(({ key }) => key),
  ]
  expect(everywhere).toEqual([`${row?.storage_key}/original`])
  await other.deps.storage.delete(everywhere)
})

test('deletes the object after a failed insert', async () => {
  const { db } = shop.deps
  await sql`create function refuse_image() returns trigger language plpgsql as
    $$ begin raise exception 'no' using errcode = '53100'; end $$`.execute(db)
  for (const when of [
    'before insert on images for each row',
    'after insert on images deferrable initially deferred for each row',
  ]) {
    const kind = when.includes('deferred') ? 'constraint trigger' : 'trigger'
    await sql.raw(`create ${kind} refuse ${when} execute function refuse_image()`).execute(db)
    await expect(store(await newImage())).rejects.toThrow('no')
    await sql`drop trigger refuse on images`.execute(db)
    expect([await rows(), await objects()]).toEqual([[], []])
  }
})

test('responds 503 and inserts no row if the storage is unavailable', async () => {
  const storage = { ...shop.deps.storage, put: () => Promise.reject(new Error('down')) }
  await expect(storeImage({ ...shop.deps, storage }, { bytes: await newImage(), fileName: 'a' })).rejects.toThrow(
    'down',
  )
  expect(await rows()).toEqual([])
})

test('deleteOrphans deletes old objects without a row, and nothing else', async () => {
  const { id } = await store(await newImage())
  const [row] = await rows()
  const keys = [
    `${row?.storage_key}/original`,
    `${row?.storage_key}/320.webp`,
    'images/gone/original',
    'images/gone/320.avif',
    'feeds/other',
  ]
  for (const key of keys) await shop.deps.storage.put(key, Buffer.from('x'), { contentType: 'image/png' })
  await deleteOrphans(shop.deps)
  expect((await objects()).toSorted()).toEqual(keys.toSorted())
  const later = () => new Date(Date.now() + 3_700_000)
  await Promise.all([deleteOrphans({ ...shop.deps, now: later }), deleteOrphans({ ...shop.deps, now: later })])
  expect((await objects()).toSorted()).toEqual(
    [`${row?.storage_key}/original`, `${row?.storage_key}/320.webp`, 'feeds/other'].toSorted(),
  )
  expect(await rows()).toMatchObject([{ id }])
})

/** Creates a square GIF with many frames, each of one pixel, in a few bytes each. */
function manyFrames(frames: number, side = 1): Buffer {
  const head = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(side, 6)
  head.writeUInt16LE(side, 8)
  const frame = Buffer.from('!\xf9\x04\0\x01\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0', 'latin1')
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}
