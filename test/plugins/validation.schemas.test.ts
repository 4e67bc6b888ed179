import { afterAll, beforeAll, expect, test } from 'vitest'
import { BY_FORMAT, BY_KEYWORD, BY_PATTERN } from '../../src/rules/faults/schema.ts'
import { SCHEMAS } from '../../src/schemas/common.ts'
import { isObject } from '../support/api-description.ts'
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

/** Keywords that refuse nothing by themselves. */
const NEUTRAL = [
  '$id',
  '$ref',
  'allOf',
  'contentMediaType',
  'default',
  'description',
  'examples',
  'items',
  'patternProperties',
  'properties',
]
/** Of texts that programs write, or of a path, where they make a 404. */
const WITHOUT_SENTENCE = ['^[\\x20-\\x7e]+$', '^[A-Za-z0-9_.-]{1,100}$']

test('every keyword, format and pattern of the input has a fault of its own', () => {
  const used = { keywords: new Set<string>(), formats: new Set<string>(), patterns: new Set<string>() }
  const named = new Set<unknown>()
  const walk = (schema: unknown): void => {
    if (!isObject(schema)) return
    for (const keyword of Object.keys(schema)) used.keywords.add(keyword)
    if (typeof schema.format === 'string') used.formats.add(schema.format)
    if (typeof schema.pattern === 'string') used.patterns.add(schema.pattern)
    const { properties, patternProperties, allOf, anyOf, items } = schema
    const component = SCHEMAS.get(String(schema.$ref))
    if (component && !named.has(component)) {
      named.add(component)
      walk(component)
    }
    const members = [properties, patternProperties].filter(isObject).flatMap(Object.values)
    for (const inner of [...members, allOf, anyOf, items].flat()) walk(inner)
  }
  for (const { schema } of partsOf(shop)) walk(schema)
  expect([...used.keywords].filter((one) => !NEUTRAL.includes(one) && !(one in BY_KEYWORD))).toEqual([])
  // Any text has the format "line"; that of files isn't validated.
  expect([...used.formats].filter((one) => !['binary', 'line'].includes(one) && !(one in BY_FORMAT))).toEqual([])
  expect([...used.patterns].filter((one) => !WITHOUT_SENTENCE.includes(one) && !(one in BY_PATTERN))).toEqual([])
  expect(Object.keys(BY_KEYWORD).filter((one) => one !== 'storable' && !used.keywords.has(one))).toEqual([])
})
