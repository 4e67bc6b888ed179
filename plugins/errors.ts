import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import pg from 'pg'
import { AppError, type ErrorDetail, invalid, notFound } from '../src/errors.ts'
import { findUnstorable } from '../src/rules/text.ts'

/** One error shape for everything (contract section 1, "Errors"). */
export const errorsPlugin = fp(
  async (app) => {
    app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply))

    // Before any handler, so that no text that PostgreSQL refuses gets as far as a query.
    app.addHook('preValidation', async (request) => {
      if (findUnstorable(request.params)) throw notFound('record')
      const found = findUnstorable(request.query) ?? findUnstorable(request.body)
      if (found) throw invalid(found)
    })
  },
  { name: 'errors' },
)

/** Answers any thrown value; what isn't foreseen is logged and hidden. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toAppError(error)
  if (refusal.status >= 500) request.log.error({ err: error }, 'request failed')
  if (refusal.extras.retryAfter !== undefined) reply.header('retry-after', String(refusal.extras.retryAfter))
  if (refusal.status === 401) return reply.code(401).send({ error: 'Unauthorized' })
  return reply.code(refusal.status).send({
    error: STATUS_CODES[refusal.status] ?? 'Error',
    code: refusal.code,
    message: refusal.message,
    ...(refusal.extras.details ? { details: refusal.extras.details } : {}),
    ...refusal.extras.body,
    requestId: request.id,
  })
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof pg.DatabaseError) return fromDatabase(error)
  if (!(error instanceof Error)) return internal()
  if (isUnreachable(error)) return unavailable()
  return fromFastify(error)
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
  return { path: path || 'body', message: fault.message ?? 'is not valid' }
}

/** Input that passed validation and that PostgreSQL still refuses, and a database that is busy or going down. */
function fromDatabase(error: pg.DatabaseError): AppError {
  const code = error.code ?? ''
  if (code === '23505') return new AppError(409, 'CONFLICT', 'Another record already has this value')
  if (code === '23503') return new AppError(409, 'CONFLICT', 'A record that this one refers to is not there')
  if (/^22|^23514/.test(code)) return new AppError(400, 'VALIDATION_FAILED', 'A value is out of range')
  // Shutdown, too many connections, time-outs of statements and locks, deadlocks: a repeat may succeed.
  if (/^(57P|08|53|55P03|57014|40)/.test(code)) return unavailable()
  return internal()
}

/** Whether the error says that a server could not be reached, rather than that something is wrong here. */
function isUnreachable(error: Error & { code?: string }): boolean {
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/.test(error.code ?? '')) return true
  return /Query read timeout|Connection terminated|timeout exceeded when trying to connect|not queryable|gone silent/.test(
    error.message,
  )
}

function unavailable(): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The service is busy or starting; please repeat', { retryAfter: 5 })
}

function internal(): AppError {
  return new AppError(500, 'INTERNAL', 'Something went wrong on our side')
}
