import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type DatabaseFault, databaseFault } from '../db/errors.ts'
import { AppError, conflict, type ErrorDetail, invalid, notFound } from '../src/errors.ts'
import { MAX_PASSWORD_BYTES } from '../src/rules/accounts/credentials.ts'
import { withoutSecrets } from '../src/rules/text.ts'

/** For a 503 that doesn't know better. */
const RETRY_AFTER_S = 5

/** One error shape for everything (contract section 1, "Errors"). */
export const errorsPlugin = fp(
  async (app) => {
    app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply))
  },
  { name: 'errors' },
)

/** Where the router is sent with what it can't decode: no route is there, and the not-found handler tells it apart. */
export const UNDECODABLE = '/%25'

/** Whether the path of an address is percent-encoded UTF-8. */
export function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}

/** Answers any thrown value; what isn't foreseen is logged and hidden. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toAppError(error)
  if (refusal.status >= 500) logFailure(error, refusal, request)
  const retryAfter = refusal.extras.retryAfter ?? (refusal.status === 503 ? RETRY_AFTER_S : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (refusal.extras.headers) reply.headers(refusal.extras.headers)
  if (refusal.status === 401) return reply.code(401).send({ error: 'Unauthorized' })
  return reply.code(refusal.status).send(errorBody(refusal, request.id))
}

/** The body of every error but the 401. */
export function errorBody(
  { status, code, message, extras }: AppError,
  requestId: string,
): Record<string, unknown> {
  const details = extras.details ? { details: extras.details } : {}
  return { error: STATUS_CODES[status] ?? 'Error', code, message, ...details, ...extras.body, requestId }
}

/** What Node's parser stumbled over, or waited for in vain. */
export function parserRefusal(error: Error & { code?: unknown }): AppError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError(408, 'REQUEST_TIMEOUT', 'The request did not come to its end in time')
    case 'HPE_HEADER_OVERFLOW':
      return new AppError(431, 'HEADERS_TOO_LARGE', 'Address and headers are larger than this server takes')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than this endpoint takes')
    default:
      return new AppError(400, 'VALIDATION_FAILED', 'This is no HTTP request')
  }
}

/** A line that says what was asked and what went wrong; nobody failed where the client has gone away. */
function logFailure(error: unknown, refusal: AppError, request: FastifyRequest): void {
  const asked = { method: request.method, url: withoutSecrets(request.originalUrl) }
  if (request.raw.destroyed && !request.raw.complete) request.log.debug(asked, 'the client went away')
  else if (error === refusal) {
    const cause = refusal.cause === undefined ? {} : { err: refusal.cause }
    request.log.warn({ ...asked, status: refusal.status, ...cause }, refusal.message)
  } else request.log.error({ err: error, ...asked, status: refusal.status }, 'request failed')
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const fault = databaseFault(error)
  if (fault !== null) return fromDatabase(fault)
  return error instanceof Error ? fromFastify(error) : internal()
}

function fromFastify(error: Error & Partial<FastifyError>): AppError {
  if (error.validation) {
    const outOfRange = ['maximum', 'minimum', 'maxLength', 'pattern']
    if (
      error.validationContext === 'params' &&
      error.validation.every((fault) => outOfRange.includes(fault.keyword))
    ) {
      return notFound('record')
    }
    return invalid(...error.validation.map((fault) => toDetail(fault, error.validationContext)))
  }
  switch (error.statusCode) {
    case 400:
      return invalid({ path: error.code === 'FST_ERR_BAD_URL' ? 'path' : 'body', message: error.message })
    case 413:
      return new AppError(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than this endpoint takes')
    case 414:
      return new AppError(414, 'URI_TOO_LONG', 'The address is longer than any that this server has')
    case 415:
      return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'This endpoint takes application/json')
    default:
      return internal()
  }
}

type Fault = NonNullable<FastifyError['validation']>[number]

function toDetail(fault: Fault, context: string | undefined): ErrorDetail {
  const missing = fault.params.missingProperty
  const parts = fault.instancePath.split('/').slice(1)
  if (typeof missing === 'string') parts.push(missing)
  const path = context === 'body' ? parts.join('.') : [context, ...parts].join('.')
  return { path: path || 'body', message: inWords(fault) }
}

function inWords({ keyword, params, message }: Fault): string {
  if (keyword === 'format' && params.format === 'email') return 'must be an email address'
  if (keyword === 'format' && params.format === 'password') {
    return `must have at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`
  }
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.join(', ')}`
  }
  return message ?? 'is not valid'
}

function fromDatabase(fault: DatabaseFault): AppError {
  switch (fault) {
    case 'TAKEN':
      return conflict('CONFLICT', 'Another record already has this value')
    case 'DANGLING':
      return conflict('CONFLICT', 'A record that this one refers to is not there')
    case 'OUT_OF_RANGE':
      return new AppError(400, 'VALIDATION_FAILED', 'A value is out of range')
    case 'LOCKED':
    case 'RACED':
    case 'AWAY':
    case 'READ_ONLY':
      return new AppError(503, 'UNAVAILABLE', 'The service is busy or starting; please repeat')
    case 'OTHER':
      return internal()
  }
}

function internal(): AppError {
  return new AppError(500, 'INTERNAL', 'Something went wrong on our side')
}
