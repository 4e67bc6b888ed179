import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { type ClientProgram, generateClient } from '../support/generated-client.ts'
import { sentMails } from '../support/mails.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

/** A customer's whole way, first without an account, then with one. */
const PROGRAM = `
const [mailbox = ''] = values
type Mail = { to: string; subject: string; body: string }
const mailsTo = async (address: string): Promise<Mail[]> => {
  const mails: Mail[] = JSON.parse(await (await fetch(mailbox)).text())
  return mails.filter(({ to }) => to === address)
}
const tokenIn = (mail: Mail | undefined, pattern: RegExp) => pattern.exec(mail?.body ?? '')?.[1] ?? ''
const email = 'anna@example.test'

const suggested = got(await api.GET('/api/v1/products/suggest', { params: { query: { q: 'шуруп' } } }))
assert.deepEqual(suggested.words, ['шуруповёрт'])
assert.equal(suggested.products.length, 1)
const found = got(await api.GET('/api/v1/products', { params: { query: { search: 'шурупаверт' } } }))
assert.equal(found.correctedSearch?.toLowerCase(), 'шуруповёрт')
const [product] = found.content
assert(product)
const facets = got(await api.GET('/api/v1/products/facets', { params: { query: { search: 'шуруповёрт' } } }))
assert.deepEqual(facets.brands.map(({ name, count }) => [name, count]), [['Вектор', 1]])
const tree = got(await api.GET('/api/v1/categories/tree'))
assert.deepEqual(tree.map(({ name }) => name), ['Инструменты'])
const card = got(await api.GET('/api/v1/products/{id}', { params: { path: { id: product.id } } }))
const bySlug = got(await api.GET('/api/v1/products/by-slug/{slug}', { params: { path: { slug: card.slug } } }))
assert.deepEqual([bySlug.id, card.finalPrice, card.available], [product.id, 1500.5, true])

const line: Schemas['OrderLine'] = { productId: product.id, quantity: 2 }
const cart = got(await api.POST('/api/v1/cart/validate', { body: [line, { productId: 999_999, quantity: 1 }] }))
assert.deepEqual([cart.valid, cart.items.map(({ available }) => available)], [false, [true, false]])
assert.equal(got(await api.POST('/api/v1/cart/validate', { body: [line] })).total, 3001)

const place = (body: Schemas['NewOrder'], key: string) =>
  api.POST('/api/v1/orders', { body, params: { header: { 'Idempotency-Key': key } } })
const wanted = { items: [line], customerName: 'Анна', customerPhone: '+7 900 123-45-67', customerEmail: email }
const refused = await place({ ...wanted, items: [{ ...line, quantity: 4000 }] }, 'too many')
assert.equal(refused.response.status, 409)
const order = got(await place(wanted, 'first'))
const status: Schemas['OrderStatus'] = order.status
assert.equal(status, 'NEW')
const linesAreRequired: object extends Pick<Schemas['NewOrder'], 'items'> ? never : true = true
assert(linesAreRequired)
assert.equal(got(await place(wanted, 'first')).id, order.id)
const other = await place({ ...wanted, customerName: 'Ольга' }, 'first')
assert(other.error && 'code' in other.error)
assert.equal(other.error.code, 'IDEMPOTENCY_KEY_REUSED')

const [confirmation, ...more] = await mailsTo(email)
assert.equal(more.length, 0)
assert(confirmation?.subject.includes(order.number))
const trackingToken = tokenIn(confirmation, /\\/order\\/([\\w-]+)/)
assert.equal(trackingToken, order.trackingToken)
const tracked = got(await api.GET('/api/v1/orders/track/{trackingToken}', { params: { path: { trackingToken } } }))
assert.deepEqual([tracked.number, tracked.status, tracked.cancellable], [order.number, 'NEW', true])
const cancelled = got(
  await api.POST('/api/v1/orders/track/{trackingToken}/cancel', { params: { path: { trackingToken } } }),
)
assert.equal(cancelled.status, 'CANCELLED')
const again = await api.POST('/api/v1/orders/track/{trackingToken}/cancel', { params: { path: { trackingToken } } })
assert(again.error && 'code' in again.error)
assert.equal(again.error.code, 'ORDER_NOT_CANCELLABLE')
assert.equal((await mailsTo(email)).length, 1)

const password = 'correct horse battery'
const account = { name: 'Анна', email, password: 'a first password' }
const session = got(await api.POST('/api/v1/auth/register', { body: account }))
const own = got(await api.POST('/api/v1/orders', { ...as(session.token, 'POST /api/v1/orders'), body: wanted }))
const mine = got(await api.GET('/api/v1/orders/my', { ...as(session.token, 'GET /api/v1/orders/my'), params: { query: {} } }))
assert.deepEqual(mine.content.map(({ id }) => id), [own.id])
const cartTakesNoToken: 'POST /api/v1/cart/validate' extends TakesToken ? never : true = true
assert(cartTakesNoToken)
const path = { id: own.id }
const stopped = got(
  await api.POST('/api/v1/orders/{id}/cancel', { ...as(session.token, 'POST /api/v1/orders/{id}/cancel'), params: { path } }),
)
assert.equal(stopped.status, 'CANCELLED')

await mailsTo(email)
done(await api.POST('/api/v1/auth/forgot-password', { body: { email } }))
const token = tokenIn((await mailsTo(email))[0], /reset-password\\?token=([\\w-]+)/)
done(await api.POST('/api/v1/auth/reset-password', { body: { token, password } }))
const used = await api.POST('/api/v1/auth/reset-password', { body: { token, password } })
assert(used.error && 'code' in used.error)
assert.equal(used.error.code, 'RESET_TOKEN_INVALID')
const profile = (one: string) => api.GET('/api/v1/auth/profile', as(one, 'GET /api/v1/auth/profile'))
assert.equal((await profile(session.token)).response.status, 401)
const returned = got(await api.POST('/api/v1/auth/login', { body: { email, password } }))
assert.equal(got(await profile(returned.token)).email, email)
console.log('done')
`

let shop: TestShop
let program: ClientProgram

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: 'https://shop.example' })
  program = await generateClient(JSON.parse((await shop.call('GET', '/v3/api-docs')).text), PROGRAM)
})
afterAll(async () => {
  await shop.close()
  await program.remove()
})

test('a customer finds, orders, follows, cancels, and gets back into the account', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db, { name: 'Инструменты' })
  const brandId = await createBrand(db, 'Вектор')
  await createProduct(db, { name: 'Шуруповёрт Вектор 18В', price: '1500.50', stock: 50, categoryId, brandId })
  await createProduct(db, { name: 'Лампа', categoryId })
  const mailbox = createServer(async (_request, response) => {
    response.end(JSON.stringify(await sentMails(shop)))
  }).listen(0, '127.0.0.1')
  await once(mailbox, 'listening')
  try {
    expect(await program.compile()).toBe('')
    const { port } = mailbox.address() as AddressInfo
    expect(await program.run(shop.url, `http://127.0.0.1:${port}`)).toBe('done\n')
  } finally {
    mailbox.close()
  }
})
