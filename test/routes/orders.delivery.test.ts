import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { sentMails } from '../support/mails.ts'
import { sendOrder, setSetting } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const METHODS = JSON.stringify([
  { code: 'courier', name: 'Курьером до двери', price: 300.5, freeFrom: 5000 },
  { code: 'post', name: 'Почтой', price: 250, freeFrom: null },
  { code: 'pickup', name: 'Самовывоз', price: 0, freeFrom: null },
])

let shop: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
  productId = await createProduct(shop.deps.db, { price: '1000.00', stock: 1000 })
})
afterAll(() => shop.close())
afterEach(() => setSetting(shop, admin, 'delivery_methods', '[]'))

const offer = (methods = METHODS) => setSetting(shop, admin, 'delivery_methods', methods)
const order = (deliveryMethod: string | null | undefined, quantity = 1, key?: string) =>
  sendOrder(shop, [{ productId, quantity }], { fields: { deliveryMethod }, key })
const validate = (deliveryMethod: string, quantity = 1) =>
  shop.call('POST', `/api/v1/cart/validate?deliveryMethod=${deliveryMethod}`, { body: [{ productId, quantity }] })

test.each([
  ['courier', 4, 300.5, 4300.5],
  ['courier', 5, 0, 5000],
  ['courier', 6, 0, 6000],
  ['post', 6, 250, 6250],
  ['pickup', 1, 0, 1000],
])('%s of %i pieces costs %d, in the cart and in the order', async (method, quantity, deliveryCost, total) => {
  await offer()
  expect((await validate(method, quantity)).body).toMatchObject({ deliveryCost, total, valid: true })
  const { status, body } = await order(method, quantity)
  expect(status).toBe(201)
  expect(body).toMatchObject({ deliveryMethod: method, deliveryCost, total, itemsTotal: quantity * 1000 })
})

test.each([undefined, null, '', 'Courier', 'Курьером до двери'])(
  'refuses %j as a method when some are listed',
  async (method) => {
    await offer()
    const fault = { path: 'deliveryMethod', message: 'Choose one of: courier, post, pickup' }
    expect(await order(method)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', details: [fault] } })
    const byStaff = await shop.call('POST', '/api/v1/admin/orders', {
      token: admin,
      body: {
        customerName: 'Анна',
        customerPhone: '+79001234567',
        items: [{ productId, quantity: 1 }],
        deliveryMethod: method,
      },
    })
    expect(byStaff).toMatchObject({ status: 400, body: { details: [fault] } })
    if (method)
      expect(await validate(encodeURIComponent(method))).toMatchObject({ status: 400, body: { details: [fault] } })
  },
)

test('takes any text while none are listed', async () => {
  expect((await order('дядя Вася привезёт')).body).toMatchObject({
    deliveryMethod: 'дядя Вася привезёт',
    deliveryCost: 0,
  })
  expect((await validate('whatever')).body).toMatchObject({ deliveryCost: 0, total: 1000 })
})

test('a repeat with the key gets its order, whatever is listed by then', async () => {
  await offer()
  const first = await order('post', 1, 'delivery-key')
  await offer('[{"code":"drone","name":"Drone","price":1,"freeFrom":null}]')
  expect((await order('post', 1, 'delivery-key')).body).toEqual(first.body)
  expect((await order('post', 1, 'another-key')).status).toBe(400)
})

test('mails show the name and the cost', async () => {
  await offer()
  await setSetting(shop, admin, 'notification_email', 'staff@shop.example')
  const { body } = await sendOrder(shop, [{ productId, quantity: 1 }], {
    fields: { deliveryMethod: 'courier', customerEmail: 'anna@example.com' },
  })
  await setSetting(shop, admin, 'notification_email', '')
  expect(body).toMatchObject({ total: 1300.5 })
  const mails = await sentMails(shop)
  expect(mails.map(({ to }) => to).sort()).toEqual(['anna@example.com', 'staff@shop.example'])
  for (const mail of mails)
    expect(mail.body).toMatch(/Курьером до двери[\s\S]*Стоимость доставки: 300,50[\s\S]*Итого: 1.300,50/)
})

test('staff may correct the method to anything, and the cost apart', async () => {
  await offer()
  const { id } = (await order('courier')).body as { id: number }
  const changed = await shop.call('PATCH', `/api/v1/admin/orders/${id}`, {
    token: admin,
    body: { deliveryMethod: 'такси' },
  })
  expect(changed.body).toMatchObject({ deliveryMethod: 'такси', deliveryCost: 300.5 })
})

test.each([
  ['not JSON', '[{', ['value']],
  ['no list', '{}', ['value']],
  ['no object', '[null]', ['value']],
  [
    'a code twice',
    '[{"code":"a","name":"A","price":0,"freeFrom":null},{"code":"a","name":"B","price":0,"freeFrom":null}]',
    ['value.1.code'],
  ],
  ['a blank name', '[{"code":"a","name":" ","price":0,"freeFrom":null}]', ['value.0.name']],
  ['a code with spaces', '[{"code":"a b","name":"A","price":0,"freeFrom":null}]', ['value.0.code']],
  ['a negative price', '[{"code":"a","name":"A","price":-1,"freeFrom":null}]', ['value.0.price']],
  ['three decimals', '[{"code":"a","name":"A","price":1.001,"freeFrom":null}]', ['value.0.price']],
  ['a price as text', '[{"code":"a","name":"A","price":"1","freeFrom":null}]', ['value.0.price']],
  ['an infinite price', '[{"code":"a","name":"A","price":1e999,"freeFrom":null}]', ['value.0.price']],
  ['no freeFrom', '[{"code":"a","name":"A","price":1}]', ['value.0.freeFrom']],
  ['nothing in its fields', '[{}]', ['value.0.code', 'value.0.name', 'value.0.price', 'value.0.freeFrom']],
  ['nothing', '', ['value']],
])('refuses a setting with %s, and names what is wrong', async (_what, value, paths) => {
  const answer = await setSetting(shop, admin, 'delivery_methods', value)
  expect(answer).toMatchObject({ status: 400, body: { details: paths.map((path) => ({ path })) } })
})

test('the public reads the methods', async () => {
  await offer()
  const { body } = await shop.call('GET', '/api/v1/config/public')
  expect(body).toMatchObject({ delivery_methods: METHODS })
})
