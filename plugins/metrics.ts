import type { FastifyReply, FastifyRequest } from 'fastify'
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
    /** By method, route and class of the status: finding a series by its labels is slow, and so is joining text to a key. */
    type Series = ReturnType<typeof requests.series>
    const known = new Map<string, Map<string, Series[]>>()

    function seriesOf(request: FastifyRequest, { statusCode }: FastifyReply): Series {
      const { method } = request
      const route = routePattern(request)
      const byRoute = known.get(method) ?? new Map<string, Series[]>()
      const byClass = byRoute.get(route) ?? []
      if (byClass.length === 0) known.set(method, byRoute.set(route, byClass))
      const statusClass = Math.floor(statusCode / 100)
      byClass[statusClass] ??= requests.series({ method, route, status: `${statusClass}xx` })
      return byClass[statusClass]
    }

    app.addHook('onResponse', (request, reply, done) => {
      requests.observe(seriesOf(request, reply), reply.elapsedTime / 1000)
      done()
    })
  },
  { name: 'metrics' },
)
