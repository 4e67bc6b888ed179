import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError, ERROR_CODES } from '../../src/errors.ts'
import { Failure } from '../../src/schemas/common.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

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
}

test('every code reaches the caller, and the API description names it', async () => {
  for (const code of ERROR_CODES) {
    expect((await shop.call('GET', `/refuse/${code}`)).body).toEqual({
      error: 'Conflict',
      code,
      message: 'No',
      requestId: expect.any(String),
    })
  }
  const docs = await shop.call('GET', '/v3/api-docs')
  expect(docs.body).toMatchObject({
    components: { schemas: { ErrorBody: { properties: { code: { enum: ERROR_CODES } } } } },
  })
})
