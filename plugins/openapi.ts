import type { FastifySchema } from 'fastify'
import { type Access, atLeast } from '../src/rules/accounts/roles.ts'
import { MAX_INT } from '../src/rules/lists.ts'

/** What the description says before it comes to the routes. */
export const INTRODUCTION = `The API of an online shop: what its storefront and its administration call.

**Log in** with \`POST /api/v1/auth/login\` and send the token as \`Authorization: Bearer …\`. Where a token is optional,
the answer depends on who asks: staff see more, and an order with a token is the order of that user.

**Lists** with \`page\` and \`size\` answer a page; the others answer everything as an array. **Errors** have one shape
whose \`code\` is for programs; only the 401 says nothing more. **Money** is a number with at most two decimals, **times**
are ISO 8601 in UTC. Unknown members of a body are ignored.`

export const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: `A JSON Web Token (RFC7519), used as RFC8725 advises: HS256 and nothing else, with an expiry, for one
service. It ends with the next change of the password.`,
} as const

type Caller = { access: Access; optionalToken?: true | undefined }

/** What a route's access means to a client: no token, one if the caller likes, one in any case. */
export function securityOf({ access, optionalToken }: Caller): FastifySchema['security'] {
  if (access !== 'public') return [{ bearer: [] }]
  return optionalToken ? [{}, { bearer: [] }] : []
}

/** Who may call a route, as the last sentence of its description. */
export function accessInWords({ access, optionalToken }: Caller): string {
  if (access === 'public')
    return optionalToken ? 'Anyone may call it; a token is optional.' : 'Anyone may call it.'
  if (access === 'user') return 'For any user who is logged in.'
  return atLeast(access, 'SUPER_ADMIN') ? `For ${access}.` : `For ${access} and above.`
}

/**
 * Makes the document what clients need: what has a default need not be sent, what fits into 32 bits says so, and
 * headers are written as they usually are.
 */
export function finish(value: unknown): void {
  if (!isObject(value)) return
  for (const [key, child] of Object.entries(value)) if (!/^(examples?|default)$/.test(key)) finish(child)
  const { properties, required, maximum, type } = value
  if (isObject(properties) && Array.isArray(required)) {
    value.required = required.filter((name) => !hasDefault(properties[name]))
  }
  if (required === true && hasDefault(value.schema)) value.required = false
  if (value.in === 'header')
    value.name = `${value.name}`.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  if ([type].flat().includes('integer') && Number(maximum) <= MAX_INT) value.format = 'int32'
}

function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function hasDefault(schema: unknown): boolean {
  return isObject(schema) && schema.default !== undefined
}
