import { STATUS_CODES } from 'node:http'
import type { RouteOptions } from 'fastify'
import type { ErrorCode } from '../src/errors.ts'
import { ref } from '../src/schemas/common.ts'
import { Failure, Unauthorized } from '../src/schemas/errors.ts'

/** What a status means wherever it is answered; a route may have words of its own. */
const MEANINGS: { [status: number]: string } = {
  301: 'The record has another slug now; `Location` leads there',
  304: 'The caller has this version already',
  400: 'The request is not valid: `details` names what is wrong with it',
  401: 'No valid token',
  403: 'The role of the caller is too low',
  404: 'No such record, or none that the caller may see',
  409: 'The state of things forbids it: `code` says what',
  412: 'The record was changed meanwhile: `current` has it as it is now',
  413: 'The body is larger than this endpoint takes',
  416: 'The range is not within the image',
  415: 'The body is of another type than application/json',
  429: 'Too many attempts: `Retry-After` says when to come again',
  500: 'Something went wrong on our side',
  503: 'The database is away or busy, or the service is stopping: please come again',
}

/** What the example of a refusal says; a 409 shows the first of the codes that its words name. */
const SHOWN: { [status: number]: [code: ErrorCode, message: string] } = {
  403: ['FORBIDDEN', 'Your role may not do this'],
  404: ['NOT_FOUND', 'There is no such record'],
  412: ['STALE', 'The record was changed meanwhile'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is larger than this endpoint takes'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'This endpoint takes application/json'],
  416: ['RANGE_NOT_SATISFIABLE', 'The image has 184320 bytes'],
  429: ['RATE_LIMITED', 'Too many attempts; please wait'],
  500: ['INTERNAL', 'Something went wrong on our side'],
  503: ['UNAVAILABLE', 'The service is busy or starting; please repeat'],
}

const location = { type: 'string', format: 'uri-reference', description: 'Where it is now' }
const retryAfter = { type: 'integer', minimum: 1, maximum: 86_400, description: 'Seconds to wait' }
const HEADERS: { [status: number]: object } = {
  301: { Location: location },
  429: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter },
}

/**
 * All responses of a route as the description has them: its own, and those that follow from its access and its input,
 * each with words and headers if it brings none. The latter need no serialiser: sendError makes them.
 */
export function describedResponses({ config, method, schema }: RouteOptions): { [status: string]: object } {
  const access = config?.access
  const takesBody = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
  const responses: { [status: string]: object } = {
    // Also where nothing is asked for: a query that can't be text is none.
    400: Failure,
    ...(access === 'public' ? {} : { 401: ref(Unauthorized) }),
    ...(access === 'public' || access === 'user' ? {} : { 403: Failure }),
    ...(schema?.params ? { 404: Failure } : {}),
    // Also where no body is asked for: one that comes is read.
    ...(takesBody ? { 413: Failure, 415: Failure } : {}),
    ...(typeof schema?.response === 'object' ? schema.response : {}),
    500: Failure,
    503: Failure,
  }
  const worded = Object.entries(responses).map(([status, response]): [string, object] => {
    const meaning = { description: MEANINGS[Number(status)], headers: HEADERS[Number(status)] }
    const known = Object.entries(meaning).filter(([, value]) => value !== undefined)
    return [status, shown(Number(status), { ...Object.fromEntries(known), ...response })]
  })
  return Object.fromEntries(worded)
}

/** A refusal with an example of its own, instead of the one that all errors share. */
function shown(status: number, response: { $ref?: string; description?: string }): object {
  const { $ref, ...rest } = response
  const named = /`([A-Z_]+)`/.exec(rest.description ?? '')?.[1]
  const [code, message] = SHOWN[status] ?? [named, 'The state of things forbids it']
  if ($ref !== Failure.$ref || code === undefined) return response
  const requestId = '3f0c0a5e-6a4c-4c39-9d3f-0c5b1e8f7a11'
  const example = { error: STATUS_CODES[status], code, message, requestId }
  return { ...rest, content: { 'application/json': { schema: Failure, example } } }
}
