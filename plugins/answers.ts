import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import fp from 'fastify-plugin'
import helmet from 'helmet'
import { invalid } from '../src/errors.ts'
import { withoutSecrets } from '../src/rules/text.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route may take its time: its answers are not logged as slow. */
    mayTakeLong?: boolean
  }
}

const SLOW_REQUEST_MS = 1000

/** What helmet says to browsers; it says the same each time, so it is asked once and not for each request. */
function securityHeaders(): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const options = {
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  } as const
  helmet(options)(request, response, () => {})
  return { ...response.getHeaders() }
}

/** What every answer carries, and the line in the log for those that took too long; plugins/errors.ts logs the failed. */
export const answersPlugin = fp(
  async (app) => {
    const common = securityHeaders()
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(common).header('x-request-id', request.id)
      // Node would answer by itself, in its own form (app.ts).
      const isNameless = request.raw.headers.host === undefined && request.raw.httpVersion === '1.1'
      if (!isNameless) return done()
      reply.header('connection', 'close')
      done(invalid({ path: 'headers.host', message: 'must be there' }))
    })
    app.addHook('onResponse', (request, reply, done) => {
      if (reply.elapsedTime >= SLOW_REQUEST_MS && !request.routeOptions.config.mayTakeLong) {
        const { method, originalUrl } = request
        const ms = Math.round(reply.elapsedTime)
        request.log.warn(
          { method, url: withoutSecrets(originalUrl), status: reply.statusCode, ms },
          'slow request',
        )
      }
      done()
    })
  },
  { name: 'answers', dependencies: ['errors'] },
)
