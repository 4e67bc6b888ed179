import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeImage } from '../../src/services/media/store.ts'
import { animation, newImage } from '../support/images.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const IMAGES = '/api/v1/images'

let shop: TestShop
beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

async function stored(bytes: Buffer, fileName = 'a.png'): Promise<{ url: string }> {
  const { id } = await storeImage(shop.deps, { bytes, fileName })
  return { url: `${IMAGES}/${id}` }
}

test('draws variants upright, without enlarging and without metadata', async () => {
  const bytes = await sharp(await newImage({ width: 400, height: 200 }))
    .withExif({ IFD0: { Copyright: 'anna' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { url } = await stored(bytes, 'a.jpg')
  for (const [width, expected] of [
    [160, 160],
    [320, 200],
    [1920, 200],
  ]) {
    for (const accept of ['*/*', 'image/webp', 'image/avif']) {
      const variant = await fetch(`${shop.url}${url}?width=${width}`, { headers: { accept } })
      const found = await sharp(Buffer.from(await variant.arrayBuffer())).metadata()
      expect([found.width, found.height, found.orientation, found.exif]).toEqual([
        expected,
        Number(expected) * 2,
        undefined,
        undefined,
      ])
    }
  }
  // Both widths beyond the picture's are one variant; nothing else has been stored.
  const kept = (await Array.fromAsync(shop.deps.storage.list(''))).map(({ key }) => key.split('/').at(-1))
  expect(kept.filter((key) => key?.endsWith('.webp')).toSorted()).toEqual(['160.webp', '320.webp'])
})

test('draws what is transparent as white in a JPEG', async () => {
  const create = { width: 200, height: 100, channels: 4, background: '#0000' } as const
  const { url } = await stored(await sharp({ create }).png().toBuffer())
  const variant = await fetch(`${shop.url}${url}?width=160&format=jpeg`)
  const { channels } = await sharp(Buffer.from(await variant.arrayBuffer())).stats()
  expect(channels.map(({ min }) => min)).toEqual([255, 255, 255])
})

test('stores animations whole and draws variants of the first frame', async () => {
  const bytes = await animation(300, 5)
  const { url } = await stored(bytes, 'a.gif')
  const whole = Buffer.from(await (await fetch(shop.url + url)).arrayBuffer())
  expect(whole.equals(bytes)).toBe(true)
  for (const [accept, format] of [
    ['*/*', 'png'],
    ['image/webp', 'webp'],
    ['image/avif', 'heif'],
  ] as const) {
    const variant = await fetch(`${shop.url}${url}?width=160`, { headers: { accept } })
    const found = await sharp(Buffer.from(await variant.arrayBuffer())).metadata()
    expect([found.format, found.width, found.height, found.pages ?? 1]).toEqual([format, 160, 160, 1])
  }
  const chosen = await fetch(`${shop.url}${url}?format=webp`, { headers: { accept: 'image/avif' } })
  const found = await sharp(Buffer.from(await chosen.arrayBuffer())).metadata()
  expect([chosen.headers.get('content-type'), found.width, found.pages ?? 1]).toEqual(['image/webp', 300, 1])
  expect((await fetch(`${shop.url}${url}?format=avif`)).status).toBe(400)
})

test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)('odd sizes of %s have variants', async (format) => {
  const sizes = [
    [1, 1, 'image/avif'],
    [4000, 1, 'image/webp'],
    [1, 4000, '*/*'],
  ] as const
  for (const [width, height, accept] of sizes) {
    const { url } = await stored(await newImage({ width, height }, format))
    const answer = await fetch(`${shop.url}${url}?width=160`, { headers: { accept } })
    expect([width, height, answer.status]).toEqual([width, height, 200])
    await answer.arrayBuffer()
  }
})

test('rejects an unsupported width with 400 and names the supported ones', async () => {
  const { url } = await stored(await newImage())
  for (const width of ['100', '0', '-160', '161', 'abc', '1e2', '160.5', '99999999999']) {
    const { status, body } = await shop.call('GET', `${url}?width=${width}`)
    expect([width, status]).toEqual([width, 400])
    if (width === '100') expect(JSON.stringify(body)).toContain('Choose one of: 160, 320, 480, 640, 960, 1280, 1920')
  }
  expect((await shop.call('GET', `${url}?width=160&width=320`)).status).toBe(400)
  for (const id of ['0', '999999', '2147483648', '9'.repeat(30)]) {
    expect((await shop.call('GET', `${IMAGES}/${id}`)).status).toBe(404)
  }
  expect((await shop.call('GET', `${IMAGES}/abc`)).status).toBe(400)
})
