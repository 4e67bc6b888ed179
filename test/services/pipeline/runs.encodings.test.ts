import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProduct } from '../../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { syncPipeline } from '../../support/pipeline.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let server: FeedServer

beforeAll(async () => {
  server = await startFeedServer()
  shop = await startTestShop({ XML_FEED_URL: server.url })
})
afterAll(async () => {
  await shop.close()
  await server.close()
})

/** Latin and Cyrillic letters in windows-1251. */
const windows1251 = (text: string) =>
  Buffer.from(
    Array.from(text, (letter) => (letter < '\x80' ? letter : String.fromCharCode(letter.charCodeAt(0) - 0x350))).join(
      '',
    ),
    'latin1',
  )
const undeclared = (text: string) => text.replace(/<\?xml[^>]*\?>/, '')

test.each([
  ['text/xml; charset=windows-1251', (text: string) => windows1251(undeclared(text))],
  ['application/xml', (text: string) => windows1251(text.replace('UTF-8', 'windows-1251'))],
  ['application/xml', (text: string) => Buffer.from(`\uFEFF${text.replace('UTF-8', 'UTF-16')}`, 'utf16le')],
  ['text/xml; charset=utf-16be', (text: string) => Buffer.from(undeclared(text), 'utf16le').swap16()],
])('reads a feed of type %s', async (type, encode) => {
  const externalId = `T-${crypto.randomUUID()}`
  const id = await createProduct(shop.deps.db, { externalId })
  const offers = [{ id: externalId, params: { Цвет: 'красный' } }]
  server.serve((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(encode(feedXml({ offers })))
  })
  expect(await syncPipeline(shop)).toMatchObject({ status: 'SUCCEEDED', error: null })
  const answer = await shop.call('GET', `/api/v1/products/${id}/attributes`)
  expect(answer.body).toEqual([{ name: 'Цвет', value: 'красный', source: 'EXTERNAL' }])
})
