import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { type Image, imageForm, newImage } from '../support/images.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
})
afterAll(() => shop.close())

/** Taken with the camera turned, as phones store it. */
async function photo(format: 'jpeg' | 'png' | 'webp' | 'avif', withLocation: boolean): Promise<Buffer> {
  const exif = {
    IFD0: { Software: 'Camera' },
    ...(withLocation && { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '55/1 45/1 21/1' } }),
  }
  const picture = sharp(await newImage({ width: 40, height: 30 }, format))
    .withMetadata({ orientation: 6 })
    .withExifMerge(exif)
  return picture.toFormat(format).toBuffer()
}

const upload = async (bytes: Buffer) =>
  (await shop.call('POST', '/api/v1/images', { token: editor, form: imageForm(bytes) })).body as Image

async function original({ url }: Image) {
  const response = await fetch(shop.url + url)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { bytes, ...(await sharp(bytes).metadata()) }
}

test.each(['jpeg', 'png', 'webp', 'avif'] as const)('a stored %s does not say where it was taken', async (format) => {
  const bytes = await photo(format, true)
  expect(bytes.includes('Camera')).toBe(true)
  const image = await upload(bytes)
  expect(image).toMatchObject({ width: 30, height: 40 })
  const { exif, xmp, width, height, bytes: stored } = await original(image)
  expect({ exif, xmp, width, height }).toEqual({ exif: undefined, xmp: undefined, width: 30, height: 40 })
  expect(image.size).toBe(stored.length)
  expect((await upload(bytes)).id).toBe(image.id)
})

test('neither does one that replaces another', async () => {
  const { id } = await upload(await newImage())
  const replacement = { token: editor, form: imageForm(await photo('jpeg', true)) }
  const { body } = await shop.call('PUT', `/api/v1/images/${id}/replace`, replacement)
  expect((await original(body as Image)).exif).toBeUndefined()
})

test('an image without a location is stored as it was sent', async () => {
  const bytes = await photo('jpeg', false)
  expect((await original(await upload(bytes))).bytes).toEqual(bytes)
})
