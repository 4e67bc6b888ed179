import type { RouteOptions } from 'fastify'
import type { ErrorCode } from '../src/errors.ts'
import { ref, VersionHeaders } from '../src/schemas/common.ts'
import { Failure, Unauthorized } from '../src/schemas/errors.ts'
import { Unchanged } from '../src/schemas/published.ts'
import { STATUS_CODES } from './errors.ts'

/** Default descriptions; a route may have its own. */
const DESCRIPTIONS: { [status: number]: string } = {
  301: 'The slug has changed: see `Location`',
  304: 'Not modified',
  400: 'The request is not valid: see `details`',
  401: 'No valid token',
  403: 'The role of the caller is too low, or an API key calls what needs an account',
  404: 'No such record, or not visible to the caller',
  409: 'The request conflicts with the current state: see `code`',
  412: 'The record has changed since it was read: see `current`',
  413: 'The body is too large',
  415: 'The content type is not application/json',
  416: 'The range is not within the image',
  429: 'Too many attempts: see `Retry-After`',
  500: 'Something went wrong on our side',
  503: 'The database is down or busy, or the service is stopping: retry later',
}

/** Code and message of the example; a 409 uses the first code that its description names. */
const EXAMPLES: { [status: number]: [code: ErrorCode, message: string] } = {
  403: ['FORBIDDEN', 'Your role does not allow this'],
  404: ['NOT_FOUND', 'No such record'],
  412: ['STALE', 'The record has changed since it was read'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large for this endpoint'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'This endpoint accepts application/json only'],
  416: ['RANGE_NOT_SATISFIABLE', 'The image has 184320 bytes'],
  429: ['RATE_LIMITED', 'Too many attempts; please retry later'],
  500: ['INTERNAL', 'Something went wrong on our side'],
  503: ['UNAVAILABLE', 'The service is busy or starting; please retry'],
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
        description: DESCRIPTIONS[Number(status)],
        ...(HEADERS[Number(status)] && { headers: HEADERS[Number(status)] }),
        ...response,
      }),
    ]),
  )
}

/** Gives an error response an example, instead of the one that all errors share. */
function withExample(status: number, response: { $ref?: string; description?: string | undefined }): object {
  const { $ref, ...rest } = response
  const named = /`([A-Z_]+)`/.exec(rest.description ?? '')?.[1]
  const [code, message] = EXAMPLES[status] ?? [named, 'The request conflicts with the current state']
  if ($ref !== Failure.$ref || code === undefined) return response
  const requestId = '3f0c0a5e-6a4c-4c39-9d3f-0c5b1e8f7a11'
  const example = { error: STATUS_CODES[status], code, message, requestId }
  return { ...rest, content: { 'application/json': { schema: Failure, example } } }
}
