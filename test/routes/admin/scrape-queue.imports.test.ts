import { afterAll, beforeAll, expect, test } from 'vitest'
import { runScraping } from '../../../src/services/scraping/run.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { newImage } from '../../support/images.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type ScriptedStorefront, startStorefront } from '../../support/storefront.ts'

const QUEUE = '/api/v1/admin/scrape-queue'

let shop: TestShop
let web: ScriptedStorefront
let token: string

beforeAll(async () => {
  web = await startStorefront()
  shop = await startTestShop({ GBSTORE_SCRAPING_ALLOWED_HOSTS: web.host, GBSTORE_SCRAPING_DELAY_MS: '0' })
  token = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await shop.close()
  await web.close()
})

const send = (body: object) => shop.call('POST', `${QUEUE}/manual-import`, { token, body })
const stateOf = async (id: number) => (await shop.call('GET', `${QUEUE}/product/${id}`, { token })).body

test('imports images by URL', async () => {
  const id = await createProduct(shop.deps.db)
  web.paths.set('/a.png', await newImage())
  const urls = [`${web.site}/a.png`, `${web.site}/a.png`, `${web.site}/none.png`]
  const answer = await send({ productId: id, urls })
  expect([answer.status, answer.body]).toMatchObject([
    202,
    { readsPage: false, imageUrls: [urls[0], urls[2]], status: 'PENDING' },
  ])
  const { body: audit } = await shop.call('GET', `/api/v1/admin/audit?entity=PRODUCT&entityId=${id}`, { token })
  expect(audit).toMatchObject({ content: [{ action: 'UPDATE', after: { importedImages: [urls[0], urls[2]] } }] })
  await runScraping(shop.deps)
  expect(await stateOf(id)).toMatchObject({
    task: { status: 'DONE' },
    images: { SUCCESS: 1, FAILED: 1 },
  })
  expect((await shop.call('GET', `/api/v1/products/${id}`)).body).toMatchObject({
    images: [{ displayOrder: 0 }],
  })
})

test('limits the bytes of a URL, which the image log has an index of', async () => {
  const id = await createProduct(shop.deps.db)
  // Letters of three bytes each, which PostgreSQL can't compress.
  const letters = (count: number) =>
    String.fromCodePoint(...Array.from({ length: count }, () => 0x4e00 + Math.floor(Math.random() * 20_000)))
  const sendLetters = (count: number) => send({ productId: id, urls: [`${web.site}/${letters(count)}`] })
  expect((await sendLetters(1900)).body).toMatchObject({ details: [{ path: 'urls.0' }] })
  expect((await sendLetters(650)).status).toBe(202)
  await runScraping(shop.deps)
  expect(await stateOf(id)).toMatchObject({ images: { FAILED: 1 } })
})

test('refuses an import while the images of the product are being fetched', async () => {
  const id = await createProduct(shop.deps.db)
  const body = { productId: id, urls: [`${web.site}/a.png`] }
  await shop.deps.db.insertInto('gbstore_scrape_queue').values({ product_id: id, status: 'IN_PROGRESS' }).execute()
  const refused = await send(body)
  expect([refused.status, refused.body]).toMatchObject([409, { code: 'SCRAPE_ACTIVE' }])
})

test('reports every fault of an import', async () => {
  const id = await createProduct(shop.deps.db)
  const wrong = await send({
    productId: id,
    urls: ['ftp://x', 'http://ok.example/a.png', 'x'],
  })
  expect(wrong.body).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ path: 'urls.0' }, { path: 'urls.2' }],
  })
  for (const body of [
    {},
    { productId: id, urls: [] },
    { productId: id, urls: Array(51).fill('http://ok.example/a.png') },
    { productId: id, urls: 'http://ok.example/a.png' },
    { productId: 999_999, urls: ['http://ok.example/a.png'] },
    { productId: -1, urls: ['http://ok.example/a.png'] },
    { productId: id, urls: ['http://ok.example/\0.png'] },
    { productId: id, urls: ['http://ok.example/\ud800.png'] },
  ]) {
    expect((await send(body)).status).toBe(400)
  }
})
