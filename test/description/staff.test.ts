import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberedCatalogue } from '../demo/client.ts'
import { createUser, PASSWORD } from '../support/accounts.ts'
import { type ClientProgram, generateClient } from '../support/generated-client.ts'
import { newImage } from '../support/images.ts'
import { type SupplierShop, startSupplierShop } from '../support/supplier-shop.ts'

/** A day of somebody who runs the shop, from the start page to the alerts. */
const PROGRAM = `
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
assert.deepEqual(got(await api.GET('/api/v1/reviews/active', { params: { query: {} } })).map(({ id }) => id), [review.id])

const file = new Blob([Buffer.from(picture, 'base64')])
const form = () => {
  const data = new FormData()
  data.append('file', file, 'a.png')
  return data
}
const image = got(await staff.POST('/api/v1/images', { body: { file: '' }, bodySerializer: form }))
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

const bulkEdit: Schemas['BulkEdit'] = { filter: { inStock: true, brandId: [5, 12] }, set: { sitePricePercent: 90 } }
assert.equal((await staff.PATCH('/api/v1/products', { params: { query: { dryRun: true } }, body: bulkEdit })).response.status, 200)

const key = { path: { key: 'delivery_days' } }
assert.equal(got(await staff.PUT('/api/v1/admin/config/{key}', { params: key, body: { value: '2-3' } })).value, '2-3')
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
let program: ClientProgram

beforeAll(async () => {
  world = await startSupplierShop({}, numberedCatalogue(3))
  await world.sync()
  const { text } = await world.shop.call('GET', '/v3/api-docs')
  program = await generateClient(JSON.parse(text), PROGRAM)
})
afterAll(async () => {
  await world.close()
  await program.remove()
})

test('a member of staff gets through a day', async () => {
  const { email } = await createUser(world.shop, 'ADMIN')
  expect(await program.compile()).toBe('')
  const picture = (await newImage()).toString('base64')
  expect(await program.run(world.shop.url, email, PASSWORD, picture)).toBe('done\n')
})
