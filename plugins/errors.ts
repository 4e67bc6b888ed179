import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type DatabaseFault, databaseFault } from '../db/errors.ts'
import { AppError, codeOf, conflict, invalid, type Language, messageOf, notFound } from '../src/errors.ts'
import type { Actor } from '../src/rules/accounts/roles.ts'
import { reasonOf } from '../src/rules/faults/schema.ts'
import { type Fault, isUnavailable, sentenceOf } from '../src/rules/faults/sentences.ts'
import { chooseLanguage } from '../src/rules/text.ts'
import { requestFields } from './request-log.ts'

/** Importing `node:http` would also load Node's WebSocket client, 14 MB. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** `Retry-After` of a 503 without its own, in seconds. */
const RETRY_AFTER_S = 5

declare module 'fastify' {
  interface FastifyRequest {
    /** The language of error messages. */
    readonly language: Language
  }
  interface FastifyContextConfig {
    /** What makes the route fail is logged where it is found. */
    logsFailures?: boolean
    /**
     * Finds what the service would refuse in the body alone, so that a form shows all its faults at once. Called with the
     * valid fields when the schema has refused others.
     * @throws AppError 400
     */
    check?(body: object, params: object, caller: Actor | null): unknown
  }
}

/** Gives every error the same shape (docs/http.md). */
export const errorsPlugin = fp(
  async (app) => {
    app.decorateRequest('language', {
      getter() {
        return chooseLanguage(this.headers['accept-language'])
      },
    })
    app.setErrorHandler(async (error, request, reply) =>
      sendError(await withServiceFaults(error, request), request, reply),
    )
  },
  { name: 'errors' },
)

/** Replaces a path that the router can't decode. No route matches it, so plugins/auth.ts refuses it. */
export const UNDECODABLE = '/%25'

/** Whether the path of a URL is percent-encoded UTF-8. */
export function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}

/** Responds to any thrown value; an unexpected one is logged and becomes a 500 without details. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const appError = toAppError(error)
  const { status, extras } = appError
  if (status >= 500 && !request.routeOptions.config.logsFailures) logFailure(error, appError, request)
  // The language depends on the caller.
  reply.header('cache-control', 'no-store')
  const retryAfter = extras.retryAfter ?? (status === 503 ? RETRY_AFTER_S : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (extras.headers) reply.headers(extras.headers)
  // Spares receiving the rest of the body.
  if (status === 429 && !request.raw.complete) reply.header('connection', 'close')
  if (/\bapplication\/problem\+json\b/.test(request.headers.accept ?? '')) {
    const problem = problemOf(appError, request.id, request.language)
    return reply.code(status).type('application/problem+json').send(JSON.stringify(problem))
  }
  const body = status === 401 ? unauthorizedBody(appError) : errorBody(appError, request.id, request.language)
  return reply.code(status).send(body)
}

/** The same as problem details (RFC 9457), for clients that accept them. */
function problemOf(error: AppError, requestId: string, language: Language) {
  const { error: title, message: detail, code, ...members } = errorBody(error, requestId, language)
  return {
    type: 'about:blank',
    title,
    status: error.status,
    detail,
    ...(code !== 'UNAUTHORIZED' && { code }),
    ...members,
  }
}

function unauthorizedBody({ code }: AppError) {
  return { error: 'Unauthorized', ...(code === 'TOTP_REQUIRED' && { code }) }
}

/** The body of every error except a 401. */
export function errorBody(error: AppError, requestId: string, language: Language = 'en') {
  const { status, code, extras } = error
  const details = extras.faults?.map((fault) => toDetail(fault, language))
  return {
    error: STATUS_CODES[status] ?? 'Error',
    code,
    message: error.messageIn(language),
    ...(details && { details }),
    ...extras.body,
    requestId,
  }
}

function toDetail(fault: Fault, language: Language) {
  const detail = { path: fault.path, message: sentenceOf(fault, language) }
  return isUnavailable(fault) ? { ...detail, reason: fault.code, ...fault.params } : detail
}

/** Maps an error of Node's HTTP parser. */
export function parserError(error: Error & { code?: unknown }): AppError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError(408, 'REQUEST_TIMEOUT', 'The request was not completed in time')
    case 'HPE_HEADER_OVERFLOW':
      return new AppError(431, 'HEADERS_TOO_LARGE', 'The URL and headers are too large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return payloadTooLarge()
    default:
      return new AppError(400, 'VALIDATION_FAILED', 'This is not an HTTP request')
  }
}

/** Logs the stack of a bug only. */
function logFailure(error: unknown, appError: AppError, request: FastifyRequest): void {
  const { log } = request.server
  const fields = { ...requestFields(request), status: appError.status }
  if (request.raw.destroyed && !request.raw.complete) log.debug(fields, 'request closed by the client')
  else if (error === appError) {
    const { cause } = appError
    log.warn(cause ? { ...fields, error: messageOf(cause) } : fields, appError.message)
  } else if (appError.status === 503) {
    log.warn({ ...fields, error: messageOf(error) }, 'database unavailable')
  } else log.error({ ...fields, err: error }, 'request failed')
}

/** The error that a client sees for any thrown value. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const fault = databaseFault(error)
  if (fault !== null) return fromDatabase(fault)
  return error instanceof Error ? fromFastify(error) : internal()
}

/** Adds to a refused body what the service finds wrong in the fields that passed the schema (docs/http.md). */
async function withServiceFaults(error: unknown, request: FastifyRequest): Promise<unknown> {
  const { check } = request.routeOptions.config
  const { body, caller, params } = request
  const isOfBody = error instanceof Error && Reflect.get(error, 'validationContext') === 'body'
  if (!check || !isOfBody || typeof body !== 'object' || body === null) return error
  const refusal = toAppError(error)
  const { faults: found = [] } = refusal.extras
  const faulty = new Set(found.map(({ path }) => path.split('.', 1)[0]))
  const sound = Object.entries(body).filter(([name]) => !faulty.has(name))
  try {
    await check(Object.fromEntries(sound), Object(params), caller)
  } catch (thrown) {
    const further = thrown instanceof AppError && thrown.extras.faults
    if (further) return invalid(...found, ...further)
    // In a very large body the schema finds the first fault only; another one may break the check.
    request.server.log.debug({ err: thrown }, 'check of an invalid body failed')
  }
  return refusal
}

/** The body is shorter or longer than its Content-Length. */
const CUT_SHORT = 'FST_ERR_CTP_INVALID_CONTENT_LENGTH'

const OUT_OF_RANGE_KEYWORDS = ['maximum', 'minimum', 'minLength', 'maxLength', 'pattern']

function fromFastify(error: Error & Partial<FastifyError>): AppError {
  const { validation, validationContext } = error
  if (validation) {
    const isInPath = validationContext === 'params'
    const isOutOfRange = validation.every(({ keyword }) => OUT_OF_RANGE_KEYWORDS.includes(keyword))
    const isUnstorable = validation.some(({ keyword }) => keyword === 'storable')
    if (isInPath && (isOutOfRange || isUnstorable)) return notFound('record')
    return invalid(...validation.map((found) => toFault(found, validationContext)))
  }
  switch (error.statusCode) {
    case 400:
      return invalid({ path: 'body', code: codeOf(error) === CUT_SHORT ? 'INCOMPLETE_BODY' : 'NOT_JSON' })
    case 413:
      return payloadTooLarge()
    case 414:
      return new AppError(414, 'URI_TOO_LONG', 'The URL is too long')
    case 415:
      return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'This endpoint accepts application/json only')
    default:
      return internal()
  }
}

type SchemaError = NonNullable<FastifyError['validation']>[number]

function toFault({ keyword, params, instancePath }: SchemaError, context: string | undefined): Fault {
  const { missingProperty, additionalProperty } = params
  const parts = instancePath.split('/').slice(1)
  const named = missingProperty ?? additionalProperty
  if (typeof named === 'string') parts.push(named)
  const path = context === 'body' ? parts.join('.') : [context, ...parts].join('.')
  return { path: path || 'body', ...reasonOf(keyword, params) }
}

function fromDatabase(fault: DatabaseFault): AppError {
  switch (fault) {
    case 'DUPLICATE':
      return conflict('CONFLICT', 'Another record already has this value')
    case 'MISSING_REFERENCE':
      return conflict('CONFLICT', 'A referenced record does not exist')
    case 'OUT_OF_RANGE':
      return new AppError(400, 'VALIDATION_FAILED', 'A value is out of range')
    case 'LOCKED':
    case 'RETRYABLE':
    case 'UNAVAILABLE':
      return new AppError(503, 'UNAVAILABLE', 'The service is busy or starting; please retry')
    case 'OTHER':
      return internal()
  }
}

function payloadTooLarge(): AppError {
  return new AppError(413, 'PAYLOAD_TOO_LARGE', 'The body is too large for this endpoint')
}

function internal(): AppError {
  return new AppError(500, 'INTERNAL', 'Something went wrong on our side')
}
