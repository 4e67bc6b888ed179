import fp from 'fastify-plugin'
import { invalid } from '../src/errors.ts'
import { withoutSecrets } from '../src/rules/text.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route may take its time: its answers are not logged as slow. */
    mayTakeLong?: boolean
  }
}

const SLOW_REQUEST_MS = 1000

/** What every answer carries, and the line in the log for those that took too long; plugins/errors.ts logs the failed. */
export const answersPlugin = fp(
  async (app) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
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
