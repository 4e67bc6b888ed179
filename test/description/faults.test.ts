import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { isObject, type Schema } from '../support/api-description.ts'
import { descriptionOf, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let token: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_REGISTER: '0', RATE_LIMIT_ORDERS: '0' })
  token = await loginAs(shop, 'SUPER_ADMIN')
})
afterAll(() => shop.close())

const AT_A_TIME = 12

/** A value that fails one keyword of a schema; undefined where it has none. */
type Spoiler = (schema: Schema) => unknown
const is = ({ type }: Schema, name: string) => [type].flat().includes(name)
const SPOILERS: Spoiler[] = [
  () => undefined,
  (schema) => (is(schema, 'object') ? 'x' : {}),
  (schema) => (is(schema, 'string') || is(schema, 'array') ? null : undefined),
  ({ minLength = 0 }) => (Number(minLength) > 0 ? 'x'.repeat(Number(minLength) - 1) : undefined),
  ({ maxLength }) => (maxLength === undefined ? undefined : 'x'.repeat(Number(maxLength) + 1)),
  ({ pattern }) => (pattern === undefined ? undefined : ' '),
  // Of formats, most of which the document doesn't name.
  (schema) => (is(schema, 'string') ? 'я'.repeat(37) : undefined),
  (schema) => (is(schema, 'number') ? 1.005 : undefined),
  ({ minimum }) => (minimum === undefined ? undefined : Number(minimum) - 1),
  ({ maximum }) => (maximum === undefined ? undefined : Number(maximum) + 1),
  (schema) => (is(schema, 'integer') ? 1.5 : undefined),
  ({ enum: words, const: only }) => ((words ?? only) === undefined ? undefined : 'NOPE'),
  ({ minItems = 0 }) => (Number(minItems) > 0 ? [] : undefined),
  ({ maxItems }) => (Number(maxItems) <= 1000 ? Array(Number(maxItems) + 1).fill(1) : undefined),
]

test('says of every wrong field of a body what a form can show', async () => {
  const { document, operations } = await descriptionOf(shop.app)
  const resolve = (schema: Schema): Schema => {
    const named = document.components.schemas[String(schema.$ref).replace('#/components/schemas/', '')]
    const [inner] = [named, schema.anyOf, schema.allOf].flat().filter(isObject)
    return inner ? resolve(inner) : schema
  }
  /** Spoils each value of a body, down to members of lists of objects. */
  const spoil = (described: unknown, spoiler: Spoiler, depth = 0): unknown => {
    if (!isObject(described)) return undefined
    const schema = resolve(described)
    const own = depth === 0 ? undefined : spoiler(schema)
    if (own !== undefined || depth > 3) return own
    if (is(schema, 'array')) return [spoil(schema.items, spoiler, depth + 1)]
    if (!isObject(schema.properties)) return undefined
    const members = Object.entries(schema.properties).map(([name, one]) => [name, spoil(one, spoiler, depth + 1)])
    return Object.fromEntries(members)
  }
  const asked = operations.flatMap(({ method, path, operation }) => {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (schema === undefined) return []
    const bodies = SPOILERS.map((spoiler) => JSON.stringify(spoil(schema, spoiler)))
    const where = { method, path: path.replaceAll(/\{\w+\}/g, '1'), id: operation.operationId }
    return [...new Set(bodies)].map((text) => ({ ...where, text }))
  })
  const headers = { 'accept-language': 'ru', 'content-type': 'application/json' }
  const untranslated: string[] = []
  const refused = new Set<string>()
  for (let from = 0; from < asked.length; from += AT_A_TIME) {
    const part = asked.slice(from, from + AT_A_TIME).map(async ({ method, path, id, text }) => {
      const { body } = await shop.call(method, path, { text, token, headers })
      for (const { path: field, message } of Object(body).details ?? []) {
        refused.add(id)
        if (!/^[А-ЯЁ]/.test(message)) untranslated.push(`${id} ${field}: ${message}`)
      }
    })
    await Promise.all(part)
  }
  expect(untranslated).toEqual([])
  const ids = [...new Set(asked.map(({ id }) => id))]
  expect(ids.filter((id) => !refused.has(id))).toEqual([])
})
