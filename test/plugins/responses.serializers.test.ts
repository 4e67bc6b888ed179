import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileSerializer } from '../../plugins/responses.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

type Part = { method: string; url: string; part: string; schema: object }

/** Every schema of every route; response schemas under their status. */
function partsOf({ app }: TestShop): Part[] {
  return app.declaredRoutes.flatMap(({ method, url, schema }) => {
    const { params, querystring, body, response } = schema ?? {}
    const answers = Object.entries(response ?? {}).flatMap(([status, answer]) => {
      const media = Object.values(Object(answer).content ?? {})
      return (media.length > 0 ? media.map((one) => Object(one).schema) : [answer]).map((one) => [status, one])
    })
    return [...Object.entries({ params, querystring, body }), ...answers].flatMap(([part, one]) =>
      typeof one === 'object' && one !== null ? [{ method: String(method), url, part, schema: one }] : [],
    )
  })
}

/** Messages of a serializer for a value that doesn't match its schema. */
const WRONG_VALUE = /is required!|does not match schema definition|cannot be converted|^The value/

test('every schema of every route compiles', () => {
  const { validatorCompiler } = shop.app
  if (validatorCompiler === undefined) throw new Error('No validator compiler')
  const faults: string[] = []
  const parts = partsOf(shop)
  for (const { method, url, part, schema } of parts) {
    try {
      if (/^\d|default/.test(part)) compileSerializer({ schema, method, url, httpStatus: part })({})
      else validatorCompiler({ schema, method, url, httpPart: part })({})
    } catch (error) {
      if (!WRONG_VALUE.test(String(Object(error).message))) faults.push(`${method} ${url} ${part}: ${error}`)
    }
  }
  expect(faults).toEqual([])
  expect(parts.length).toBeGreaterThan(500)
})
