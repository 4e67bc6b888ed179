import type { FastifySchema } from 'fastify'
import { type Access, atLeast } from '../src/rules/accounts/roles.ts'
import { MAX_INT } from '../src/rules/lists.ts'

export const INTRODUCTION = `The API of an online shop, for its storefront and its administration.

**Authentication**: log in with \`POST /api/v1/auth/login\` and send the token as \`Authorization: Bearer …\`. Where a
token is optional, the response depends on the caller: staff see more, and an order with a token belongs to its user.

**Lists** with \`page\` and \`size\` return a page; other lists return all records as an array. **Errors** share one
shape with a machine-readable \`code\`; only a 401 has none. **Money** is a number with at most two decimals. **Times** are
ISO 8601 in UTC. Unknown members of a body are ignored. A write that sends the record's **\`version\`** as \`If-Match\` is a
412 if the record has changed since. **Live events** of the WebSocket \`/ws/events\` are described by the AsyncAPI document
at \`/v3/api-docs/events\`.`

export const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: `A JSON Web Token (RFC7519), used as RFC8725 recommends: HS256 only, with an expiry, for this service
alone. Changing the password invalidates it. An API key (\`shop_…\`) works in its place.`,
} as const

type Caller = { access: Access; optionalToken?: true }

/** The security requirement of a route: a token that is required, optional, or not used. */
export function securityOf({ access, optionalToken }: Caller): FastifySchema['security'] {
  if (access !== 'public') return [{ bearer: [] }]
  return optionalToken ? [{}, { bearer: [] }] : []
}

/** The last sentence of a route's description. */
export function describeAccess({ access, optionalToken }: Caller): string {
  if (access === 'public') return optionalToken ? 'Public; a token is optional.' : 'Public: needs no token.'
  if (access === 'user') return 'Requires a logged-in user.'
  return atLeast(access, 'SUPER_ADMIN') ? `Requires ${access}.` : `Requires ${access} or above.`
}

/**
 * Adjusts the document for client generators: properties with a default are optional, 32-bit integers are marked as such,
 * and members named by a pattern (`attr.*`) are left out, because their type would apply to all members. For Swagger UI,
 * examples of optional parameters are moved to their descriptions: it would send them.
 */
export function refineDocument(value: unknown): void {
  if (!isObject(value)) return
  for (const [key, child] of Object.entries(value))
    if (!/^(examples?|default)$/.test(key)) refineDocument(child)
  const { properties, required, maximum, type } = value
  if (isObject(properties) && Array.isArray(required)) {
    value.required = required.filter((name) => !hasDefault(properties[name]))
  }
  if (required === true && hasDefault(value.schema)) value.required = false
  if (value.required !== true && (value.in === 'query' || value.in === 'header')) describeExample(value)
  if (isObject(properties) && isObject(value.additionalProperties)) delete value.additionalProperties
  if (value.in === 'header')
    value.name = `${value.name}`.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  if ([type].flat().includes('integer') && Number(maximum) <= MAX_INT) value.format = 'int32'
}

function describeExample(parameter: { [key: string]: unknown }): void {
  const schema = isObject(parameter.schema) ? parameter.schema : {}
  const example = parameter.example ?? [schema.examples].flat()[0]
  if (example !== undefined) parameter.description = `${parameter.description}. Example: \`${example}\``
  delete parameter.example
  delete schema.examples
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function hasDefault(schema: unknown): boolean {
  return isObject(schema) && schema.default !== undefined
}
