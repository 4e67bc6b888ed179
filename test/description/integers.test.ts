import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import type { Operation, Parameter } from '../support/api-description.ts'
import { descriptionOf, startTestShop, type TestShop } from '../support/shop.ts'

const ODD = ['0x10', '1e3', '+16', ' 16', '16 ', '1.0', '0b1', '１６']

let shop: TestShop
let token: string

beforeAll(async () => {
  shop = await startTestShop()
  token = await loginAs(shop, 'SUPER_ADMIN')
})
afterAll(() => shop.close())

type Call = { method: string; path: string; operation: Operation; parameter: Parameter }

/** Every integer of a path or query. */
async function calls(): Promise<Call[]> {
  const { operations } = await descriptionOf(shop.app)
  return operations.flatMap(({ method, path, operation }) =>
    (operation.parameters ?? [])
      .filter(({ in: where, schema }) => where !== 'header' && schema.type === 'integer')
      .map((parameter) => ({ method, path, operation, parameter })),
  )
}

function pathWith({ path, operation, parameter }: Call, value: string): string {
  const text = encodeURIComponent(value)
  const filled = path.replace(/\{([^}]+)\}/g, (_all, name) => (name === parameter.name ? text : '1'))
  const required = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required)
  const query = required.filter(({ name }) => name !== parameter.name).map(({ name, example }) => `${name}=${example}`)
  if (parameter.in === 'query') query.push(`${parameter.name}=${text}`)
  return `${filled}?${query.join('&')}`
}

test('an integer in a path or query is decimal digits on every route', async () => {
  const all = await calls()
  expect(all.length).toBeGreaterThan(100)
  const accepted: string[] = []
  for (const [index, call] of all.entries()) {
    const { method, operation, parameter } = call
    const value = ODD[index % ODD.length] ?? ''
    const body = operation.requestBody ? { headers: { 'content-type': 'application/json' }, text: '{}' } : {}
    const answer = await shop.call(method, pathWith(call, value), { token, ...body })
    const place = `${parameter.in === 'path' ? 'params' : 'querystring'}.${parameter.name}`
    const details: unknown[] = Object(answer.body).details ?? []
    const isNamed = method === 'HEAD' || details.some((detail) => Object(detail).path === place)
    if (answer.status !== 400 || !isNamed) accepted.push(`${method} ${operation.operationId} ${place}=${value}`)
  }
  expect(accepted).toEqual([])
})

test.each(ODD)('rejects "%s" as an integer', async (value) => {
  const size = encodeURIComponent(value)
  const answer = await shop.call('GET', `/api/v1/products?size=${size}&page=0`)
  expect([answer.status, Object(answer.body).details]).toEqual([
    400,
    [{ path: 'querystring.size', message: 'Enter a whole number' }],
  ])
})

test('rejects exponents, signs and hexadecimal digits in amounts', async () => {
  for (const value of ['0x10', '1e3', '%2B16', '.5', '5.']) {
    const answer = await shop.call('GET', `/api/v1/products?minPrice=${value}`)
    expect([value, answer.status, Object(answer.body).details]).toEqual([
      ...[value, 400],
      [{ path: 'querystring.minPrice', message: 'Enter a number' }],
    ])
  }
  expect((await shop.call('GET', '/api/v1/products?minPrice=10.50&maxPrice=20')).status).toBe(200)
})
