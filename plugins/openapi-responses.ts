import type { RouteOptions } from 'fastify'
import type { ErrorCode } from '../src/errors.ts'
import { ref, VersionHeaders } from '../src/schemas/common.ts'
import { Failure, Unauthorized } from '../src/schemas/errors.ts'
import { Unchanged } from '../src/schemas/published.ts'
import { STATUS_CODES } from './errors.ts'

type Described = { description: string; code?: ErrorCode }

/** Default descriptions, which a route may replace, and codes of the examples; a 409 names its codes itself. */
const STATUSES: { [status: number]: Described } = {
  302: { description: 'See `Location`' },
  301: { description: 'The slug has changed: see `Location`' },
  304: { description: 'Not modified' },
  400: { description: 'The request is not valid: see `details`' },
  401: { description: 'No valid token' },
  403: {
    description: 'The role of the caller is too low, or an API key was sent where an account is needed',
    code: 'FORBIDDEN',
  },
  404: { description: 'No such record, or not visible to the caller', code: 'NOT_FOUND' },
  409: { description: 'The request conflicts with the current state: see `code`' },
  412: { description: 'The record has changed since it was read: see `current`', code: 'STALE' },
  413: { description: 'The body is too large', code: 'PAYLOAD_TOO_LARGE' },
  415: { description: 'The content type is not application/json', code: 'UNSUPPORTED_MEDIA_TYPE' },
  416: { description: 'The range is not within the image', code: 'RANGE_NOT_SATISFIABLE' },
  429: { description: 'Too many attempts: see `Retry-After`', code: 'RATE_LIMITED' },
  500: { description: 'Something went wrong on our side', code: 'INTERNAL' },
  503: {
    description: 'The database is down or busy, or the service is stopping: retry later',
    code: 'UNAVAILABLE',
  },
}

const location = { type: 'string', format: 'uri-reference', description: 'Current URL' }
const retryAfter = { type: 'integer', minimum: 1, maximum: 86_400, description: 'Seconds to wait' }
const HEADERS: { [status: number]: object } = {
  301: { Location: location },
  429: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter },
}

/**
 * Returns a route's responses for the API description: its own, and the errors that follow from its access and input,
 * each with a description, headers and an example.
 */
export function describeResponses({ config, method, schema }: RouteOptions): { [status: string]: object } {
  const access = config?.access
  const takesBody = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
  const responses: { [status: string]: object } = {
    // Any route can get a query that is not valid UTF-8.
    400: Failure,
    ...(access === 'public' ? {} : { 401: ref(Unauthorized), 403: Failure }),
    ...(config?.cacheable ? { 304: Unchanged } : {}),
    ...(schema?.params ? { 404: Failure } : {}),
    ...(schema?.headers === VersionHeaders ? { 412: Failure } : {}),
    // A body is parsed even if the route expects none.
    ...(takesBody ? { 413: Failure, 415: Failure } : {}),
    ...(takesBody && (access === 'public' || access === 'user') ? { 429: Failure } : {}),
    ...(typeof schema?.response === 'object' ? schema.response : {}),
    500: Failure,
    503: Failure,
  }
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      withExample(Number(status), {
        description: STATUSES[Number(status)]?.description,
        ...(HEADERS[Number(status)] && { headers: HEADERS[Number(status)] }),
        ...response,
      }),
    ]),
  )
}

/** Gives an error response an example of its own, instead of the one that all errors share. */
function withExample(status: number, response: { $ref?: string; description?: string }): object {
  const { $ref, ...rest } = response
  const code = STATUSES[status]?.code ?? /`([A-Z_]+)`/.exec(rest.description ?? '')?.[1]
  if ($ref !== Failure.$ref || code === undefined) return response
  const error = STATUS_CODES[status]
  const example = { error, code, message: error, requestId: '3f0c0a5e-6a4c-4c39-9d3f-0c5b1e8f7a11' }
  return { ...rest, content: { 'application/json': { schema: Failure, example } } }
}
