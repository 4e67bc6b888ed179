import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberedCatalogue } from '../demo/client.ts'
import { createUser, PASSWORD } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { type Client, generateClient } from '../support/generated-client.ts'
import { newImage } from '../support/images.ts'
import { listen } from '../support/loopback.ts'
import { sentMails } from '../support/mails.ts'
import { describedApi, startTestShop } from '../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../support/supplier-shop.ts'

/** A customer's whole way, first without an account, then with one. */
const CUSTOMER = `
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
const cordless = await api.GET('/api/v1/products', {
  params: { query: { inStock: true, attributes: { 'attr.Тип': 'сетевой' } } },
  querySerializer: { object: { style: 'form', explode: true } },
})
assert.deepEqual([got(cordless).totalElements, cordless.response.headers.get('X-Unknown-Parameters')], [0, null])
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
let reset: Mail[] = []
// The link is mailed after the response.
while (reset.length === 0) reset = await mailsTo(email)
const token = tokenIn(reset[0], /reset-password\\?token=([\\w-]+)/)
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

/** A day of somebody who runs the shop, from the start page to the alerts. */
const STAFF = `
const [email = '', password = '', picture = ''] = values
const { token } = got(await api.POST('/api/v1/auth/login', { body: { email, password } }))
const headers = { authorization: \`Bearer \${token}\` }
const staff = createClient<paths>({ baseUrl, headers })

const list20: Schemas['ProductPage'] = got(await api.GET('/api/v1/products'))
const [product] = list20.content
assert(product)
const customerPhone = '+7 900 123-45-67'
const place = async (customerName: string) =>
  got(await api.POST('/api/v1/orders', { body: { items: [{ productId: product.id, quantity: 1 }], customerName, customerPhone } }))
const orders = [await place('Анна'), await place('=Ольга'), await place('Пётр')]
const [first, second, third] = orders.map(({ id }) => ({ path: { id } }))
assert(first && second && third)
done(await api.POST('/api/v1/contacts', { body: { name: 'Анна', phone: customerPhone, message: 'Где заказ?' } }))

const summary = got(await staff.GET('/api/v1/admin/orders/summary'))
assert.deepEqual([summary.waiting.newOrders, summary.waiting.newContacts, summary.today.orders], [3, 1, 3])
assert.equal(got(await staff.GET('/api/v1/admin/orders/series', { params: { query: { days: 7 } } })).length, 7)

const list = async (query: { status?: string; search?: string; sort?: string }) =>
  got(await staff.GET('/api/v1/admin/orders', { params: { query } })).content.map(({ customerName }) => customerName)
assert.deepEqual(await list({ status: 'NEW,PROCESSING', sort: 'id' }), ['Анна', '=Ольга', 'Пётр'])
assert.deepEqual(await list({ search: 'петр' }), ['Пётр'])
const corrected = got(
  await staff.PATCH('/api/v1/admin/orders/{id}', { params: first, body: { customerName: 'Анна Иванова' } }),
)
const [item] = corrected.items
assert(item)
const line = { ...first.path, itemId: item.id }
const enlarged = got(
  await staff.PATCH('/api/v1/admin/orders/{id}/items/{itemId}', { params: { path: line }, body: { quantity: 3 } }),
)
assert.equal(enlarged.itemsTotal, item.priceAtOrder * 3)
assert.deepEqual((await list({ sort: 'total,desc' }))[0], 'Анна Иванова')
const ids = [second.path.id, third.path.id, 999_999]
const bulk = got(await staff.POST('/api/v1/admin/orders/bulk-status', { body: { ids, status: 'PROCESSING' } }))
assert.deepEqual([bulk.changed, bulk.errors.map(({ id, code }) => [id, code])], [2, [[999_999, 'NOT_FOUND']]])
const submitted = got(await staff.POST('/api/v1/admin/orders/{id}/submit', { params: first }))
assert.deepEqual([submitted.status, typeof submitted.externalId], ['SENT', 'string'])
const details = got(await staff.GET('/api/v1/admin/orders/{id}', { params: first }))
assert.deepEqual(details.submitAttempts.map(({ outcome }) => outcome), ['ACCEPTED'])
const csv = got(await staff.GET('/api/v1/admin/orders/export', { params: { query: { sort: 'id' } }, parseAs: 'text' }))
assert.deepEqual(csv.split('\\r\\n').filter((text) => text.includes("'=Ольга")).length, 1)

const [contact] = got(await staff.GET('/api/v1/admin/contacts')).content
assert(contact)
const one = { path: { id: contact.id } }
const closed = got(await staff.PUT('/api/v1/admin/contacts/{id}/status', { params: one, body: { status: 'CLOSED' } }))
assert.equal(closed.status, 'CLOSED')
const review = got(
  await staff.POST('/api/v1/reviews', {
    body: { author: 'Анна', rating: 5, text: 'Хорошо', reviewDate: '2026-11-01', productId: product.id },
  }),
)
const reviews = await api.GET('/api/v1/reviews/active')
assert.deepEqual(got(reviews).map(({ id }) => id), [review.id])
assert.equal(reviews.response.headers.get('X-Total-Count'), '1')

const file = new File([Buffer.from(picture, 'base64')], 'a.png')
const bodySerializer = (body: { file: Blob }) => {
  const form = new FormData()
  form.append('file', body.file)
  return form
}
const image = got(await staff.POST('/api/v1/images', { body: { file }, bodySerializer }))
const sent = await staff.GET('/api/v1/images/{id}', { params: { path: { id: image.id } }, parseAs: 'blob' })
assert.equal(got(sent).size, file.size)
const banner = got(await staff.POST('/api/v1/banner-blocks', { body: { title: 'Скидки', imageId: image.id } }))
assert.deepEqual(got(await api.GET('/api/v1/banner-blocks/active')).map(({ id }) => id), [banner.id])
done(
  await staff.PUT('/api/v1/products/{id}/images', {
    params: { path: { id: product.id } },
    body: { imageIds: [image.id] },
  }),
)

const path = { id: product.id }
const before = got(await staff.GET('/api/v1/products/{id}', { params: { path } }))
assert('version' in before)
assert.equal(before.images[0]?.id, image.id)
const edit = (sitePrice: number) =>
  staff.PATCH('/api/v1/products/{id}', {
    params: { path, header: { 'If-Match': \`"\${before.version}"\` } },
    body: { sitePrice },
  })
assert.equal(got(await edit(990)).finalPrice, 990)
const stale = await edit(991)
assert.equal(stale.response.status, 412)
assert(stale.error && 'current' in stale.error)
assert.equal(got(await api.GET('/api/v1/products/{id}', { params: { path } })).finalPrice, 990)

const filter = { inStock: true, brandId: '5,12', 'attr.Цвет': ['красный', 'синий'] }
const bulkEdit: Schemas['BulkEdit'] = { filter, set: { sitePricePercent: 90 } }
assert.equal((await staff.PATCH('/api/v1/products', { params: { query: { dryRun: true } }, body: bulkEdit })).response.status, 200)

const key = { path: { key: 'delivery_days' } }
assert.equal(got(await staff.PUT('/api/v1/admin/config/{key}', { params: key, body: { value: '2-3' } })).value, '2-3')
const groups = got(await staff.GET('/api/v1/admin/config')).map(({ group }): Schemas['SettingGroup'] => group)
assert(groups.includes('ORDERS') && groups.includes('SEO'))
done(await staff.POST('/api/v1/admin/scrape-queue/product/{productId}/enqueue', { params: { path: { productId: product.id } } }))
const jobs = got(await staff.GET('/api/v1/admin/jobs'))
assert(jobs.some(({ name }) => name === 'alerts'))
const paused = { params: { path: { name: 'alerts' } }, body: { enabled: false } }
assert.equal(got(await staff.PATCH('/api/v1/admin/jobs/{name}', paused)).enabled, false)
assert.deepEqual(got(await staff.GET('/api/v1/admin/alerts')), [])
const audit = got(await staff.GET('/api/v1/admin/audit', { params: { query: { size: 100 } } }))
assert(audit.content.some(({ entity, entityId }) => entity === 'ORDER' && entityId === String(first.path.id)))
console.log('done')
`

let world: SupplierShop
let client: Client

beforeAll(async () => {
  world = await startSupplierShop({}, numberedCatalogue(3))
  await world.sync()
  client = await generateClient(JSON.parse(await describedApi(world.shop.app)), {
    customer: CUSTOMER,
    staff: STAFF,
  })
})
afterAll(async () => {
  await world.close()
  await client.remove()
})

test('programs for the generated types compile', async () => {
  expect(await client.compile()).toBe('')
})

test('a customer finds, orders, follows, cancels, and gets back into the account', async () => {
  const shop = await startTestShop({ SITE_URL: 'https://shop.example' })
  const { db } = shop.deps
  const categoryId = await createCategory(db, { name: 'Инструменты' })
  const brandId = await createBrand(db, 'Вектор')
  await createProduct(db, { name: 'Шуруповёрт Вектор 18В', price: '1500.50', stock: 50, categoryId, brandId })
  await createProduct(db, { name: 'Лампа', categoryId })
  const mailbox = createServer(async (_request, response) => {
    response.end(JSON.stringify(await sentMails(shop)))
  })
  const port = await listen(mailbox)
  try {
    expect(await client.run('customer', shop.url, `http://127.0.0.1:${port}`)).toBe('done\n')
  } finally {
    mailbox.close()
    await shop.close()
  }
})

test('a member of staff gets through a day', async () => {
  const { email } = await createUser(world.shop, 'ADMIN')
  const picture = (await newImage()).toString('base64')
  expect(await client.run('staff', world.shop.url, email, PASSWORD, picture)).toBe('done\n')
})
