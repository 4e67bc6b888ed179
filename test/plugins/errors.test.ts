import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSetting, lockSetting, updateSetting } from '../../db/queries/settings/settings.ts'
import { AppError, ERROR_CODES } from '../../src/errors.ts'
import { Failure } from '../../src/schemas/errors.ts'
import { loginAs } from '../support/accounts.ts'
import { describedApi, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({}, { prepare: addRoutes })
})
afterAll(() => shop.close())

function addRoutes(app: TestShop['app']): void {
  const config = { access: 'public' } as const
  const schema = { params: Type.Object({ code: Type.String() }), response: { 409: Failure } }
  app.get('/refuse/:code', { config, schema }, async ({ params }) => {
    const code = ERROR_CODES.find((known) => known === Reflect.get(Object(params), 'code')) ?? 'INTERNAL'
    throw new AppError(409, code, 'No')
  })
  let holders = 0
  const both = Promise.withResolvers<void>()
  app.get('/lock/:first/:second', { config }, async ({ params }) => {
    const { first, second } = Object(params)
    return app.deps.db.transaction().execute(async (trx) => {
      await lockSetting(trx, first)
      holders += 1
      if (holders === 2) both.resolve()
      await both.promise
      return lockSetting(trx, second)
    })
  })
  app.get('/overtaken', { config }, () => {
    const { db } = app.deps
    const work = db.transaction().setIsolationLevel('repeatable read')
    return work.execute(async (trx) => {
      await findSetting(trx, 'site_name')
      await db.transaction().execute((other) => updateSetting(other, 'site_name', { value: 'by another' }))
      return updateSetting(trx, 'site_name', { value: 'too late' })
    })
  })
}

test('sends every error code, and the API description lists it', async () => {
  for (const code of ERROR_CODES) {
    expect((await shop.call('GET', `/refuse/${code}`)).body).toEqual({
      error: 'Conflict',
      code,
      message: 'No',
      requestId: expect.any(String),
    })
  }
  expect(JSON.parse(await describedApi(shop.app))).toMatchObject({
    components: { schemas: { ErrorCode: { enum: ERROR_CODES } } },
  })
})

const BUSY = {
  error: 'Service Unavailable',
  code: 'UNAVAILABLE',
  message: expect.stringContaining('please retry'),
  requestId: expect.any(String),
}

test('completes one of two deadlocked requests and answers the other with 503', async () => {
  const answers = await Promise.all([
    shop.call('GET', '/lock/site_name/shop_company'),
    shop.call('GET', '/lock/shop_company/site_name'),
  ])
  const [done, refused] = answers.toSorted((a, b) => a.status - b.status)
  expect(done?.status).toBe(200)
  expect(refused).toMatchObject({ status: 503, body: BUSY })
  expect(refused?.headers.get('retry-after')).toBe('5')
})

test('answers a serialisation failure with 503', async () => {
  expect(await shop.call('GET', '/overtaken')).toMatchObject({ status: 503, body: BUSY })
})

test('names each invalid field once, with a sentence in the language of the form', async () => {
  const ask = async (path: string, body: unknown, language: string) => {
    const headers = { 'accept-language': language }
    const { status, body: answer } = await shop.call('POST', path, { body, headers })
    const { details = [] } = Object(answer)
    return [
      status,
      Object.fromEntries(details.map((one: { path: string; message: string }) => [one.path, one.message])),
      details.length,
    ]
  }
  const account = { name: ' ', email: 'anna', password: 'short' }
  expect(await ask('/api/v1/auth/register', account, 'en')).toEqual([
    400,
    {
      name: 'Enter a name',
      email: 'Enter an email address, such as name@example.com',
      password: 'Enter at least 8 characters',
    },
    3,
  ])
  expect(await ask('/api/v1/auth/register', {}, 'ru-RU,ru;q=0.9,en;q=0.8')).toEqual([
    400,
    { name: 'Заполните это поле', email: 'Укажите адрес электронной почты', password: 'Введите пароль' },
    3,
  ])
  const blank = { name: 'Anna', email: '', password: 'long enough' }
  expect(await ask('/api/v1/auth/register', blank, 'en')).toEqual([400, { email: 'Enter an email address' }, 1])
  // The phone's digits are counted although the schema finds other faults.
  const order = {
    customerName: '',
    customerPhone: '123',
    customerEmail: 'anna',
    items: [{ productId: 1, quantity: 0 }],
  }
  expect(await ask('/api/v1/orders', order, 'en')).toEqual([
    400,
    {
      customerName: 'Enter a name',
      customerPhone: 'Enter a phone number with at least 5 digits',
      customerEmail: 'Enter an email address, such as name@example.com',
      'items.0.quantity': 'The smallest value is 1',
    },
    4,
  ])
  const request = { name: '', phone: '12', message: '' }
  expect(await ask('/api/v1/contacts', request, 'ru')).toEqual([
    400,
    {
      name: 'Заполните это поле',
      phone: 'Укажите телефон; минимальное число цифр: 5',
      message: 'Напишите сообщение',
    },
    3,
  ])
})

test('names unknown fields, lists of ids and amounts for what they are', async () => {
  const admin = await loginAs(shop, 'ADMIN')
  const headers = { 'accept-language': 'ru' }
  const detailsOf = async (method: string, path: string, body?: object) => {
    const answer = await shop.call(method, `/api/v1/products${path}`, { token: admin, headers, body })
    return Object(answer.body).details
  }
  expect(await detailsOf('POST', '', {})).toEqual([{ path: 'name', message: 'Заполните это поле' }])
  expect(await detailsOf('PATCH', '', { filter: { colour: 1 }, set: { active: true } })).toEqual([
    { path: 'filter.colour', message: 'Такого поля нет' },
  ])
  expect(await detailsOf('GET', '?minPrice=1e3')).toEqual([{ path: 'querystring.minPrice', message: 'Введите число' }])
  for (const name of ['ids', 'brandId']) {
    const [detail] = await detailsOf('GET', `?${name}=1,x`)
    expect(detail).toEqual({
      path: `querystring.${name}`,
      message: expect.stringMatching(/^Введите id через запятую/),
    })
  }
})

test('says why in Russian too', async () => {
  const headers = { 'accept-language': 'ru' }
  const messages = []
  for (const path of ['/api/v1/products/999', '/refuse/ORDER_NOT_CANCELLABLE']) {
    const answer = await shop.call('GET', path, { headers })
    messages.push(Object(answer.body).message)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  }
  const text = { text: '{', headers: { ...headers, 'content-type': 'application/json' } }
  const { message, details } = Object((await shop.call('POST', '/api/v1/cart/validate', text)).body)
  expect([...messages, message, details]).toEqual([
    'Не найдено',
    'Этот заказ уже нельзя отменить',
    'Проверьте введённые данные',
    [{ path: 'body', message: 'Тело запроса должно быть в формате JSON, в кодировке UTF-8' }],
  ])
})

test('a body of plain text is a 415', async () => {
  const headers = { 'content-type': 'text/plain' }
  const { status, body } = await shop.call('POST', '/api/v1/cart/validate', { text: '[]', headers })
  expect([status, body]).toEqual([415, expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE' })])
})
