import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type DatabaseFault, databaseFault } from '../db/errors.ts'
import { AppError, conflict, type ErrorDetail, invalid, notFound } from '../src/errors.ts'

/** One error shape for everything (contract section 1, "Errors"). */
export const errorsPlugin = fp(
  async (app) => {
    app.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply))
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
      return new AppError(503, 'UNAVAILABLE', 'The service is busy or starting; please repeat', {
        retryAfter: 5,
      })
    case 'OTHER':
      return internal()
  }
}

function internal(): AppError {
  return new AppError(500, 'INTERNAL', 'Something went wrong on our side')
}
