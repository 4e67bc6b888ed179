import { Type } from '@sinclair/typebox'
import type { FastifySchema, RouteOptions } from 'fastify'
import { type Access, atLeast } from '../src/rules/accounts/roles.ts'
import { MAX_ATTRIBUTE_VALUE_LENGTH } from '../src/rules/catalogue/product-filter.ts'
import { MAX_INT } from '../src/rules/lists.ts'
import { ref, SCHEMAS, Unchanged } from '../src/schemas/common.ts'
import { Failure, Unauthorized } from '../src/schemas/errors.ts'
import { VersionHeaders } from '../src/schemas/versions.ts'
import { MESSAGES } from '../src/schemas/webhooks.ts'

export const INTRODUCTION = `The API of an online shop, for its storefront and its administration. Try the
[products](/api/v1/products), the [feed](/api/v1/yml-catalog.xml) or the [health](/health/ready) of this server, or download this
description as [JSON](/v3/api-docs) or [YAML](/v3/api-docs.yaml).

**Authentication**: log in with \`POST /api/v1/auth/login\` and send the token as \`Authorization: Bearer …\`. Where a
token is optional, the response depends on the caller: staff see more, and an order with a token belongs to its user.

**Lists** with \`page\` and \`size\` return a page, or an array beside the header \`X-Total-Count\`; other lists return all
records as an array. **Errors** share one shape with a machine-readable \`code\`; only a 401 has none. With
\`Accept: application/problem+json\` they are problem details (RFC 9457): \`title\`, \`status\` and \`detail\` stand for
\`error\` and \`message\`. **Money** is a number with at most two decimals. **Times** are ISO 8601 in UTC. Unknown members of a body are ignored. A write that sends the
record's **\`version\`** as \`If-Match\` is a 412 if the record has changed since. **Live events** of the WebSocket
\`/ws/events\` are described by the AsyncAPI document at \`/v3/api-docs/events\`.`

export const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: `A JSON Web Token (RFC7519), used as RFC8725 recommends: HS256 only, with an expiry, for this service
alone. Changing the password invalidates it. An API key (\`shop_…\`) works in its place.`,
} as const

type Caller = { access: Access; optionalToken?: true }

/** Adds to a route's schema what follows from its access and input. */
export function describeRoute(schema: FastifySchema | undefined, route: RouteOptions): FastifySchema {
  const { access, permission, optionalToken } = route.config ?? {}
  if (access === undefined || schema?.hide) return { ...schema }
  const sentences = [schema?.description, describeAccess({ access, optionalToken })]
  return {
    ...schema,
    ...(schema?.querystring ? { querystring: withPatterns(schema.querystring) } : {}),
    ...(acceptsNull(schema?.body) ? { 'x-optional-body': true } : {}),
    ...(permission && { 'x-permission': permission }),
    description: sentences.join(' ').trim(),
    security: securityOf({ access, optionalToken }),
    response: describeResponses(route),
  }
}

/** Describes the parameters that a pattern names as the members of one, which clients send by their own names. */
function withPatterns(querystring: unknown): unknown {
  const { patternProperties, ...schema } = Object(querystring)
  if (patternProperties === undefined) return querystring
  const attributes = Type.Record(Type.String(), Type.String({ maxLength: MAX_ATTRIBUTE_VALUE_LENGTH }), {
    description:
      'Each member is a parameter of its own; for several values repeat it. `attr.<name>.min` and `.max` bound numbers',
    examples: ['attr.Цвет=красный'],
  })
  return { ...schema, properties: { ...schema.properties, attributes } }
}

function acceptsNull(body: unknown): boolean {
  const type: unknown = SCHEMAS.get(Object(body).$ref)?.type
  return [type].flat().includes('null')
}

/** The security requirement of a route: a token that is required, optional, or not used. */
function securityOf({ access, optionalToken }: Caller): FastifySchema['security'] {
  if (access !== 'public') return [{ bearer: [] }]
  return optionalToken ? [{}, { bearer: [] }] : []
}

/** The last sentence of a route's description. */
export function describeAccess({ access, optionalToken }: Caller): string {
  if (access === 'public') return optionalToken ? 'Public; a token is optional.' : 'Public: needs no token.'
  if (access === 'user') return 'Requires a logged-in user.'
  return atLeast(access, 'SUPER_ADMIN') ? `Requires ${access}.` : `Requires ${access} or above.`
}

const LOCATION = { type: 'string', format: 'uri-reference', description: 'Current URL' }
const UNKNOWN = { type: 'string', description: 'Names of query parameters that were ignored; absent: none' }
const ETAG = { type: 'string', description: 'For `If-None-Match`; absent from answers to staff' }
const RETRY_AFTER = { type: 'integer', minimum: 1, maximum: 86_400, description: 'Seconds to wait' }

/** Default descriptions, which a route may replace; a 409 names its codes itself. */
const STATUSES: { [status: string]: { description: string; headers?: object } } = {
  301: { description: 'The slug has changed: see `Location`', headers: { Location: LOCATION } },
  304: { description: 'Not modified' },
  400: { description: 'The request is not valid: see `details`' },
  401: { description: 'No valid token' },
  403: {
    description:
      'The role of the caller is too low, staff have to set up two-factor login first (`TOTP_SETUP_REQUIRED`), or an API key was sent where an account is needed',
  },
  404: { description: 'No such record, or not visible to the caller' },
  409: { description: 'The request conflicts with the current state: see `code`' },
  412: { description: 'The record has changed since it was read: see `current`' },
  413: { description: 'The body is too large' },
  415: { description: 'The content type is not application/json' },
  416: { description: 'The range is not within the image' },
  429: { description: 'Too many attempts: see `Retry-After`', headers: { 'Retry-After': RETRY_AFTER } },
  500: { description: 'Something went wrong on our side' },
  503: {
    description: 'The database is down or busy, or the service is stopping: retry later',
    headers: { 'Retry-After': RETRY_AFTER },
  },
}

/** A route's own responses, and the errors that follow from its access and input. */
function describeResponses({ config, method, schema }: RouteOptions): { [status: string]: object } {
  const access = config?.access
  const takesBody = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
  const responses: { [status: string]: object } = {
    // Any route can get a request without Host, or too many requests.
    400: Failure,
    429: Failure,
    ...(access === 'public' ? {} : { 401: ref(Unauthorized), 403: Failure }),
    ...(config?.cacheable ? { 304: Unchanged } : {}),
    ...(schema?.params ? { 404: Failure } : {}),
    ...(schema?.headers === VersionHeaders ? { 412: Failure } : {}),
    // A body is parsed even if the route expects none.
    ...(takesBody ? { 413: Failure, 415: Failure } : {}),
    ...(typeof schema?.response === 'object' ? schema.response : {}),
    500: Failure,
    503: Failure,
  }
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers } = { ...STATUSES[status], ...response }
      const added = status.startsWith('2') && {
        'X-Unknown-Parameters': UNKNOWN,
        ...(config?.cacheable && { ETag: ETAG }),
      }
      return [status, { ...STATUSES[status], ...response, headers: { ...added, ...headers } }]
    }),
  )
}

const WEBHOOK_HEADERS = {
  'Webhook-Id': 'Id of the message, the same on each attempt: use it to recognise duplicates',
  'Webhook-Timestamp': 'Time of the attempt, in seconds since 1970',
  'Webhook-Signature':
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed by the decoded secret without `whsec_`; after a rotation two, separated by a space',
}

/** Describes the requests to webhooks, the field `webhooks` of OpenAPI 3.1 (docs/events.md). */
export function describeWebhooks() {
  const parameters = Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
    name,
    in: 'header' as const,
    required: true,
    description,
    schema: { type: 'string' as const },
  }))
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([event, { $id, description, examples }]) => [
      event,
      {
        post: {
          tags: ['webhooks'],
          summary: event,
          description: `${description}. Signed by the Standard Webhooks specification.`,
          parameters,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { $ref: `#/components/schemas/${$id}` }, example: examples?.[0] },
            },
          },
          responses: {
            '2XX': { description: 'Received. Anything else, redirects included, is retried' },
            410: { description: 'Switches the webhook off' },
          },
        },
      },
    ]),
  )
}

/** Formats of JSON Schema and OpenAPI; strict validators refuse schemas with others, such as our own. */
const STANDARD_FORMAT = /^(binary|date|date-time|email|password|uri-reference|int64)$/

/**
 * Adjusts the document for clients: properties with a default are optional, 32-bit integers are marked as such, our own
 * keywords and formats are left out, a body that may be null is optional, and members named by a pattern (`attr.*`) have no type,
 * because it would apply to all members. A HEAD that a route declares beside its GET gets an id of its own. For Swagger UI,
 * examples of optional parameters are moved to their descriptions: it would send them.
 */
export function refineDocument(value: unknown): void {
  if (!isObject(value)) return
  for (const [key, child] of Object.entries(value)) if (!/^(examples?|default)$/.test(key)) refineDocument(child)
  const { properties, required, maximum, type } = value
  if (isObject(properties) && Array.isArray(required)) {
    value.required = required.filter((name) => !hasDefault(properties[name]))
  }
  if (required === true && hasDefault(value.schema)) value.required = false
  if (value.required !== true && (value.in === 'query' || value.in === 'header')) describeExample(value)
  if (isObject(properties) && isObject(value.additionalProperties)) {
    value.patternProperties = { '^attr\\.': { description: 'A value of the attribute, or a list of values' } }
    value.additionalProperties = false
  }
  if (isObject(value.requestBody) && value['x-optional-body']) value.requestBody.required = false
  delete value['x-optional-body']
  if (value.in === 'header') value.name = `${value.name}`.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  if (isObject(value.head) && value.head.operationId) value.head.operationId += '-head'
  delete value['x-maxBytes']
  if (typeof value.format === 'string' && !STANDARD_FORMAT.test(value.format)) delete value.format
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
