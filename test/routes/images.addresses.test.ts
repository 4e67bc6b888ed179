import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuildOutdated } from '../../src/services/published/publishing.ts'
import { loginAs } from '../support/accounts.ts'
import { openEvents } from '../support/events.ts'
import { createBrand, createCategory, createProduct, markSynchronised } from '../support/factories.ts'
import { type Image, imageForm, newImage, withPath } from '../support/images.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

const IMAGES = '/api/v1/images'
const IMMUTABLE = 'public, max-age=31536000, immutable'

let shop: TestShop
let other: TestShop
let admin: string
beforeAll(async () => {
  shop = await startTestShop({}, { publishes: true })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  other.deps.storage = shop.deps.storage
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const send = async (method: string, path: string, body?: object) => {
  const answer = await shop.call(method, `/api/v1/${path}`, { token: admin, body })
  expect([answer.text, answer.status < 300]).toEqual([answer.text, true])
  return answer.body
}
async function upload(): Promise<ReturnType<typeof withPath>> {
  const answer = await shop.call('POST', IMAGES, { token: admin, form: imageForm(await newImage()) })
  return withPath(answer.body as Image)
}
async function replace({ path }: { path: string }): Promise<Image> {
  const answer = await shop.call('PUT', `${path}/replace`, { token: admin, form: imageForm(await newImage()) })
  expect(answer.status).toBe(200)
  return answer.body as Image
}

test('an image may be kept for good under the address of its content, and under no other', async () => {
  const image = await upload()
  expect(image.url).toBe(`${image.path}?v=${image.sha256.slice(0, 12)}`)
  const cacheControl = async (path: string, headers = {}) => {
    const answer = await shop.call('GET', path, { headers })
    return [answer.status, answer.headers.get('cache-control')]
  }
  const kept = [image.url, `${image.url}&width=160`, `${image.url}&format=webp`]
  const revalidated = ['', '?width=160', '?v=', '?v=0123456789ab', `?v=${image.sha256}`, '?v=%D1%8F&width=160']
  for (const path of kept) expect(await cacheControl(path)).toEqual([200, IMMUTABLE])
  for (const query of revalidated) expect(await cacheControl(image.path + query)).toEqual([200, 'no-cache'])
  const etag = (await shop.call('HEAD', image.path)).headers.get('etag') ?? ''
  expect(await cacheControl(image.path, { 'if-none-match': etag })).toEqual([304, 'no-cache'])
  expect(await cacheControl(image.url, { 'if-none-match': etag })).toEqual([304, IMMUTABLE])
  expect((await shop.call('HEAD', image.url)).headers.get('x-unknown-parameters')).toBeNull()

  const replaced = await replace(image)
  expect(replaced.url).not.toBe(image.url)
  expect(await cacheControl(image.url, { 'if-none-match': etag })).toEqual([200, 'no-cache'])
  expect(await cacheControl(replaced.url)).toEqual([200, IMMUTABLE])
})

test('a replacement changes all addresses at once, on every instance', async () => {
  const { db } = shop.deps
  await markSynchronised(db)
  const image = await upload()
  const brandId = await createBrand(db, 'Pictured')
  const categoryId = await createCategory(db)
  const productId = await createProduct(db, { name: 'Pictured', stock: 5, brandId, categoryId })
  await send('PUT', `products/${productId}/images`, { imageIds: [image.id] })
  await send('PUT', `admin/brands/${brandId}`, { name: 'Pictured', slug: 'pictured', imageId: image.id })
  await send('POST', 'banner-blocks', { title: 'Pictured', imageId: image.id })
  await send('POST', 'feature-items', { title: 'Pictured', imageId: image.id })
  const paths = [
    `products?ids=${productId}`,
    `products/${productId}`,
    'products/suggest?q=pictur',
    'brands',
    `brands/${brandId}`,
    'banner-blocks/active',
    'feature-items/active',
  ]
  const addresses = async (on: TestShop) => {
    const answers = await Promise.all([
      ...paths.map((path) => on.call('GET', `/api/v1/${path}`)),
      on.call('POST', '/api/v1/cart/validate', { body: [{ productId, quantity: 1 }] }),
      ...['products', 'brands', 'banner-blocks', 'feature-items'].map((path) =>
        on.call('GET', `/api/v1/${path}`, { token: admin }),
      ),
    ])
    return answers.map(({ text }) => [...new Set(text.match(/\/api\/v1\/images\/[^"]*/g))].join())
  }
  const feeds = async () => {
    const answers = [
      await shop.call('GET', '/api/v1/yml-catalog.xml'),
      await shop.call('GET', '/api/v1/google-merchant.xml'),
    ]
    return answers.map(({ text }) => /https?:[^<]*(\/api\/v1\/images\/[^<]*)/.exec(text)?.[1])
  }
  const shown = paths.length + 5
  for (const on of [shop, other, shop, other])
    await expect.poll(() => addresses(on), SOON).toEqual(Array(shown).fill(image.url))
  expect(await feeds()).toEqual([image.url, image.url])
  const events = await openEvents(shop.url)
  await events.subscribe(['products', 'catalogue'])

  const { url } = await replace(image)
  expect(await addresses(shop)).toEqual(Array(shown).fill(url))
  await expect.poll(() => addresses(other), SOON).toEqual(Array(shown).fill(url))
  await rebuildOutdated(shop.deps)
  expect(await feeds()).toEqual([url, url])
  await events.next('products.changed')
  await events.next('catalogue.changed')
  events.socket.close()
  await events.closed
})

test('lists the images with these ids', async () => {
  const [first, second] = [await upload(), await upload()]
  await upload()
  const listed = async (ids: string) => await shop.call('GET', `${IMAGES}?ids=${ids}&sort=id,asc`, { token: admin })
  const both = {
    totalElements: 2,
    content: [
      { id: first.id, url: first.url },
      { id: second.id, url: second.url },
    ],
  }
  expect((await listed(`${second.id},${first.id},2000000000`)).body).toMatchObject(both)
  expect((await listed('2000000000')).body).toMatchObject({ totalElements: 0 })
  expect((await listed('')).body).toMatchObject({ totalElements: 0 })
  expect((await listed('1,x')).body).toMatchObject({ details: [{ path: 'querystring.ids' }] })
})
