import { randomUUID } from 'node:crypto'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import { answersPlugin } from '../plugins/answers.ts'
import { authPlugin } from '../plugins/auth.ts'
import { connectionsPlugin, UNREAD_MS } from '../plugins/connections.ts'
import { corsPlugin } from '../plugins/cors.ts'
import { errorsPlugin, isDecodable, sendError, UNDECODABLE } from '../plugins/errors.ts'
import { jsonReplyPlugin } from '../plugins/json-reply.ts'
import { rateLimitPlugin } from '../plugins/rate-limit.ts'
import { buildSerializer } from '../plugins/serializers.ts'
import { swaggerPlugin } from '../plugins/swagger.ts'
import { validationPlugin } from '../plugins/validation.ts'
import { registerRoutes, TAGS } from '../routes/index.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { belongsTo } from './rules/accounts/client-address.ts'
import { SCHEMAS } from './schemas/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    deps: Deps
  }
}

/** More than any address can have: Node takes 16 KB of address and headers. */
const MAX_PARAM_LENGTH = 20_000

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
    trustProxy: Array.isArray(config.trustProxy) ? belongsTo(config.trustProxy) : config.trustProxy,
    genReqId: () => randomUUID(),
    bodyLimit: 1_048_576,
    requestTimeout: 30_000,
    connectionTimeout: UNREAD_MS,
    // Requests that arrive during a stop are served; connections.ts ends it.
    return503OnClosing: false,
    // What Node and the router refuse by themselves comes to the hooks too, and so to the common headers and form.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: { compilersFactory: { buildSerializer } },
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : UNDECODABLE),
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    clientErrorHandler: () => {},
  })
  app.decorate('deps', deps)
  for (const schema of SCHEMAS) app.addSchema(schema)

  await app.register(connectionsPlugin)
  await app.register(errorsPlugin)
  await app.register(answersPlugin)
  await app.register(corsPlugin, { origins: config.corsAllowedOrigins })
  await app.register(validationPlugin)
  await app.register(jsonReplyPlugin)
  await app.register(authPlugin, { secret: config.jwtSecret, expirationMs: config.jwtExpirationMs })
  await app.register(rateLimitPlugin)
  await app.register(swaggerPlugin, { version: '1.0.0', tags: TAGS })
  await registerRoutes(app)
  return app
}
