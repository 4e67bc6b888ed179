import type { Context } from '@opentelemetry/api'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { currentTracing } from '../src/runtime/tracing.ts'
import { HEALTH_ROUTES, requestFields } from './request-log.ts'

/**
 * Makes a trace of each request but health checks, while traces are on (docs/metrics.md). The client's `traceparent` decides
 * nothing: anyone could have his requests sampled.
 */
export const tracingPlugin = fp(
  async (app) => {
    const tracing = currentTracing()
    if (tracing === undefined) return
    const { tracer, api } = tracing
    const contexts = new WeakMap<FastifyRequest, Context>()
    app.addHook('onRequest', (request, reply, done) => {
      const { reqId, method, route } = requestFields(request)
      if (HEALTH_ROUTES.includes(route)) return done()
      const span = tracer.startSpan(`${method} ${route}`, {
        kind: api.SpanKind.SERVER,
        root: true,
        attributes: { 'http.request.method': method, 'http.route': route, 'shop.request_id': reqId },
      })
      // Also follows a response that the client didn't wait for.
      reply.raw.once('close', () => {
        const { statusCode, writableFinished } = reply.raw
        span.setAttribute('http.response.status_code', statusCode)
        if (statusCode >= 500 || !writableFinished) span.setStatus({ code: api.SpanStatusCode.ERROR })
        span.end()
      })
      const context = api.trace.setSpan(api.ROOT_CONTEXT, span)
      contexts.set(request, context)
      api.context.with(context, done)
    })
    // Again, because reading the body restores the async context of the connection.
    app.addHook('preValidation', (request, _reply, done) => {
      api.context.with(contexts.get(request) ?? api.ROOT_CONTEXT, done)
    })
  },
  { name: 'tracing', dependencies: ['request-log'] },
)
