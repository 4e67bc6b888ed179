import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeImage } from '../../src/services/media/store.ts'
import { newImage } from '../support/images.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startTestShop({ TRUST_PROXY: 'loopback' })
})
afterAll(() => shop.close())

async function newUrl(): Promise<string> {
  const bytes = await newImage({ width: 2000, height: 50 })
  return `/api/v1/images/${(await storeImage(shop.deps, { bytes, fileName: 'a.png' })).id}`
}
const get = (url: string, width: number, address: string) =>
  shop.call('GET', `${url}?width=${width}`, { headers: { 'x-forwarded-for': address } })

test('an address that asks for many variants delays no other address', async () => {
  const urls = await Promise.all(Array.from({ length: 12 }, newUrl))
  const other = await newUrl()
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { storage } = shop.deps
  let isHeld = false
  shop.deps.storage = {
    ...storage,
    async open(key, range) {
      if (!isHeld && key.endsWith('/original')) {
        isHeld = true
        held.resolve()
        await release.promise
      }
      return storage.open(key, range)
    },
  }
  let refused = 0
  const greedy = urls.flatMap((url) =>
    [160, 320, 480, 640, 960, 1280].map(async (width) => {
      const answer = await get(url, width, '203.0.113.1')
      if (answer.status === 429) refused += 1
      return answer
    }),
  )
  await held.promise
  await expect.poll(() => refused).toBe(7)
  // Its share of the waiting places is used up, as is its share of those that draw.
  const answers = await Promise.all([160, 320, 480].map((width) => get(other, width, '198.51.100.7')))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  // One that the greedy address waits for, too.
  const shared = await get(urls[9] ?? '', 640, '2001:db8::1')
  expect(shared.status).toBe(200)
  release.resolve()
  const statuses = (await Promise.all(greedy)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(65)
  expect(statuses.filter((status) => status === 429)).toHaveLength(7)
  shop.deps.storage = storage
})
