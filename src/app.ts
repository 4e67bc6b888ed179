import { randomUUID } from 'node:crypto'
import helmet from '@fastify/helmet'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import { authPlugin } from '../plugins/auth.ts'
import { corsPlugin } from '../plugins/cors.ts'
import { errorsPlugin, sendError } from '../plugins/errors.ts'
import { jsonReplyPlugin } from '../plugins/json-reply.ts'
import { rateLimitPlugin } from '../plugins/rate-limit.ts'
import { swaggerPlugin } from '../plugins/swagger.ts'
import { validationPlugin } from '../plugins/validation.ts'
import { registerRoutes } from '../routes/index.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { SCHEMAS } from './schemas/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    deps: Deps
  }
}

const SLOW_REQUEST_MS = 1000

/**
 * The whole HTTP service over ready dependencies: infrastructure, then routes. Jobs are started beside it, by
 * server.ts.
 */
export async function buildApp(
  config: Config,
  deps: Deps,
  logger: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    // A line for each request costs a fifth of the throughput; the slow and the failed ones are logged below.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy,
    genReqId: () => randomUUID(),
    bodyLimit: 1_048_576,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  })
  app.decorate('deps', deps)
  closeKeptConnections(app)
  for (const schema of SCHEMAS) app.addSchema(schema)

  await app.register(errorsPlugin)
  await app.register(validationPlugin)
  await app.register(jsonReplyPlugin)
  await app.register(helmet, {
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  await app.register(authPlugin, { secret: config.jwtSecret, expirationMs: config.jwtExpirationMs })
  await app.register(corsPlugin, { origins: config.corsAllowedOrigins })
  await app.register(rateLimitPlugin)
  await app.register(swaggerPlugin, { version: '1.0.0' })
  await registerRoutes(app)

  app.addHook('onResponse', async (request, reply) => {
    if (reply.elapsedTime < SLOW_REQUEST_MS && reply.statusCode < 500) return
    const { method, url } = request
    request.log.warn(
      { method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'slow or failed',
    )
  })
  return app
}

/**
 * A connection whose last request ends after the server began to close is kept alive by its client, and the server
 * would wait for it for over a minute.
 */
function closeKeptConnections(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const timer = setInterval(() => app.server.closeIdleConnections(), 50)
    app.server.once('close', () => clearInterval(timer))
  })
}
