import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { traceIdOf } from '../src/rules/operations/trace.ts'
import { fieldsOf, type RequestContext, runInContext } from '../src/runtime/request-context.ts'
import { routePattern } from './metrics.ts'

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext | null
  }
  interface FastifyInstance {
    /** Writes the line of a request that has ended. @param aborted the client closed it before the response was complete */
    logRequest(reply: FastifyReply, aborted: boolean): void
  }
}

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'
/** In ascending order of what they show. */
const LEVELS: string[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** Balancers ask several times a second. */
const HEALTH_ROUTES = ['/health/live', '/health/ready']

/** What a log line says of a request: its pattern, never the address, which holds what the client searched for. */
export function requestFields(request: FastifyRequest) {
  const { context, method } = request
  return { ...(context ? fieldsOf(context) : { reqId: request.id }), method, route: routePattern(request) }
}

/**
 * Gives each request its context for the log, and logs one line when it ends (contract section 11), unless it is a health
 * check that passed.
 * @param level of the lines
 */
export const requestLogPlugin = fp<{ level: Level | 'off' }>(
  async (app, { level }) => {
    const shown = LEVELS.indexOf(app.log.level)
    const isLogged = level !== 'off' && LEVELS.indexOf(level) <= shown
    app.decorateRequest('context', null)
    app.decorate('logRequest', (reply, aborted) => {
      if (level === 'off' || !isLogged) return
      const { request } = reply
      if (reply.statusCode === 200 && HEALTH_ROUTES.includes(routePattern(request))) return
      const durationMs = Math.round(reply.elapsedTime * 10) / 10
      const end = aborted ? { aborted } : { status: reply.statusCode }
      app.log[level](
        { ...requestFields(request), ...end, durationMs, ...callerFields(request) },
        'request finished',
      )
    })
    app.addHook('onRequest', (request, _reply, done) => {
      request.context = readContext(request)
      runInContext(request.context, done)
    })
    // The body arrives in the context of the connection.
    app.addHook('preValidation', (request, _reply, done) => {
      runInContext(request.context ?? readContext(request), done)
    })
    if (isLogged) {
      app.addHook('onResponse', (_request, reply, done) => {
        app.logRequest(reply, false)
        done()
      })
    }
  },
  { name: 'request-log' },
)

function readContext({ id: reqId, headers }: FastifyRequest): RequestContext {
  const { traceparent } = headers
  if (typeof traceparent !== 'string') return { reqId }
  const traceId = traceIdOf(traceparent)
  return traceId === null ? { reqId } : { reqId, traceId, traceparent }
}

function callerFields({ caller }: FastifyRequest) {
  if (caller === null) return {}
  return caller.id === null ? { apiKey: caller.name } : { userId: caller.id }
}
