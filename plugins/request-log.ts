import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Level, levels } from 'pino'
import { requestContext } from '../src/runtime/request-context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Writes the line of a request that has ended. @param aborted the client closed it before the response was complete */
    logRequest(reply: FastifyReply, aborted: boolean): void
  }
}

/** Load balancers call these several times a second. */
export const HEALTH_ROUTES = ['/health/live', '/health/ready']

/** One value for all paths without a route, so that nobody can fill the memory with labels. */
const UNKNOWN_ROUTE = 'unknown'

/** The route of a request in metrics and log: a pattern, without anything that the client chose. */
function routePattern({ is404, routeOptions }: FastifyRequest): string {
  const url = is404 ? undefined : routeOptions.url
  if (url === undefined) return UNKNOWN_ROUTE
  // A prefix's `/` matches with and without the slash.
  return url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url
}

/** What log lines contain of a request: its route pattern, never its URL, which may contain a search. */
export function requestFields(request: FastifyRequest) {
  return { ...readContext(request).fields, method: request.method, route: routePattern(request) }
}

/**
 * Sets the log context of each request, measures it, and logs one line when it ends (docs/operations.md), unless it is a
 * health check that passed.
 * @param level of the lines
 */
export const requestLogPlugin = fp<{ level: Level | 'off' }>(
  async (app, { level }) => {
    const { metrics } = app.deps
    const least = levels.values[app.log.level] ?? Number.POSITIVE_INFINITY
    app.decorate('logRequest', (reply, aborted) => {
      if (level === 'off' || (levels.values[level] ?? 0) < least) return
      const { request, statusCode: status } = reply
      if (status === 200 && HEALTH_ROUTES.includes(routePattern(request))) return
      const durationMs = Math.round(reply.elapsedTime * 10) / 10
      const end = aborted ? { aborted } : { status }
      const fields = { ...requestFields(request), ...end, durationMs, ...callerFields(request) }
      app.log[level](fields, 'request finished')
    })
    // Not in an earlier hook: reading the body restores the async context of the connection.
    app.addHook('preValidation', (request, _reply, done) => {
      requestContext.run(readContext(request), done)
    })
    app.addHook('onResponse', (request, reply, done) => {
      const { elapsedTime, statusCode } = reply
      const status = `${Math.floor(statusCode / 100)}xx`
      metrics.requests.observe({ method: request.method, route: routePattern(request), status }, elapsedTime / 1000)
      app.logRequest(reply, false)
      done()
    })
  },
  { name: 'request-log' },
)

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Reads the trace id of a `traceparent` header (W3C Trace Context, version 00); null if the header is malformed. */
export function traceIdOf(header: string): string | null {
  return TRACEPARENT.exec(header)?.[1] ?? null
}

/** Returns the client's `X-Request-Id` if logs and headers can take it. */
export function readRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header) ? header : undefined
}

function readContext({ id: reqId, headers }: FastifyRequest) {
  const traceparent = String(headers.traceparent ?? '')
  const traceId = traceIdOf(traceparent)
  return traceId === null ? { fields: { reqId } } : { fields: { reqId, traceId }, traceparent }
}

function callerFields({ caller }: FastifyRequest) {
  if (caller === null) return {}
  return caller.id === null ? { apiKey: caller.name } : { userId: caller.id }
}
