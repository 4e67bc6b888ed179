import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, loginAs } from '../support/accounts.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const accept = 'application/problem+json, application/json'
const ask = (method: string, path: string, options: { token?: string; body?: unknown; headers?: object } = {}) =>
  shop.call(method, path, { ...options, headers: { accept, ...options.headers } })

test('a fault of the input is a problem for who accepts them, in the language asked for', async () => {
  const { status, headers, body } = await ask('POST', '/api/v1/contacts', {
    body: { name: 'Анна', phone: '1', message: 'Привет' },
    headers: { 'accept-language': 'ru' },
  })
  expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json; charset=utf-8'])
  expect(body).toEqual({
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: expect.stringMatching(/[а-я]/),
    code: 'VALIDATION_FAILED',
    details: [{ path: 'phone', message: expect.stringMatching(/[а-я]/) }],
    requestId: headers.get('x-request-id'),
  })
})

test.each([
  ['GET', '/api/v1/products/999999', 404, 'NOT_FOUND', 'Not Found'],
  ['GET', '/api/v1/auth/profile', 401, undefined, 'Unauthorized'],
  ['GET', '/no-such-path', 401, undefined, 'Unauthorized'],
  ['GET', '/api/v1/products?page=-1', 400, 'VALIDATION_FAILED', 'Bad Request'],
])('%s %s is the problem %i', async (method, path, status, code, title) => {
  const { body } = await ask(method, path)
  expect(body).toMatchObject({ type: 'about:blank', status, title })
  expect(Object(body).code).toBe(code)
})

test('a conflict keeps its members', async () => {
  const token = await loginAs(shop, 'SUPER_ADMIN')
  const user = await createUser(shop, 'USER')
  const body = { name: 'x', email: user.email, role: 'USER' }
  const stale = await ask('PUT', `/api/v1/admin/users/${user.id}`, { token, body, headers: { 'if-match': '"99"' } })
  expect(stale.body).toMatchObject({
    status: 412,
    code: 'STALE',
    title: 'Precondition Failed',
    current: { id: user.id },
  })
})

test.each([undefined, '*/*', 'application/json'])('Accept %j gets the error as ever', async (wanted) => {
  const headers = wanted === undefined ? undefined : { accept: wanted }
  const answer = await shop.call('GET', '/api/v1/auth/profile', { headers })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.text).toBe('{"error":"Unauthorized"}')
})
