import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** One value for all paths without a route, so that nobody can fill the memory with labels. */
const UNKNOWN_ROUTE = 'unknown'

/** The route of a request as metrics and log name it: a pattern, without what the client chose. */
export function routePattern(request: FastifyRequest): string {
  const url = request.is404 ? undefined : request.routeOptions.url
  if (url === undefined) return UNKNOWN_ROUTE
  // A prefix's `/` matches with and without the slash.
  return url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url
}

/** Measures how long requests take (contract section 11, "Metrics"). */
export const metricsPlugin = fp(
  async (app) => {
    const { requests } = app.deps.metrics
    app.addHook('onResponse', (request, reply, done) => {
      const status = `${Math.floor(reply.statusCode / 100)}xx`
      const labels = { method: request.method, route: routePattern(request), status }
      requests.observe(labels, reply.elapsedTime / 1000)
      done()
    })
  },
  { name: 'metrics' },
)
