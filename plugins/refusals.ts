import type { RouteOptions } from 'fastify'
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
  415: 'The body is of another type than application/json',
  429: 'Too many attempts: `Retry-After` says when to come again',
  500: 'Something went wrong on our side',
  503: 'The database is away or busy, or the service is stopping: please come again',
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
    return [status, { ...Object.fromEntries(known), ...response }]
  })
  return Object.fromEntries(worded)
}
