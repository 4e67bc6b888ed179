import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

type Part = { method: string; url: string; part: string; schema: object }

/** Every schema of input of every route. */
function partsOf({ app }: TestShop): Part[] {
  return app.declaredRoutes.flatMap(({ method, url, schema }) => {
    const { params, querystring, body } = schema ?? {}
    return Object.entries({ params, querystring, body }).flatMap(([part, one]) =>
      typeof one === 'object' && one !== null ? [{ method: String(method), url, part, schema: one }] : [],
    )
  })
}

test('every schema of input of every route compiles', () => {
  const { validatorCompiler } = shop.app
  if (validatorCompiler === undefined) throw new Error('No validator compiler')
  const faults: string[] = []
  const parts = partsOf(shop)
  for (const { method, url, part, schema } of parts) {
    try {
      validatorCompiler({ schema, method, url, httpPart: part })({})
    } catch (error) {
      faults.push(`${method} ${url} ${part}: ${error}`)
    }
  }
  expect(faults).toEqual([])
  expect(parts.length).toBeGreaterThan(200)
})
