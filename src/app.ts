import { randomUUID } from 'node:crypto'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import manifest from '../package.json' with { type: 'json' }
import { accessPlugin, authPlugin } from '../plugins/auth.ts'
import { connectionsPlugin, SOCKET_TIMEOUT_MS } from '../plugins/connections.ts'
import { corsPlugin } from '../plugins/cors.ts'
import { errorsPlugin, isDecodable, sendError, UNDECODABLE } from '../plugins/errors.ts'
import { httpCachingPlugin } from '../plugins/http-caching.ts'
import { limitsPlugin } from '../plugins/limits.ts'
import { readRequestId, requestLogPlugin } from '../plugins/request-log.ts'
import { responsesPlugin } from '../plugins/responses.ts'
import { staticFilesPlugin } from '../plugins/static-files.ts'
import { swaggerPlugin } from '../plugins/swagger.ts'
import { tracingPlugin } from '../plugins/tracing.ts'
import { validationPlugin } from '../plugins/validation.ts'
import { isWebSocketHandshake } from '../plugins/websocket.ts'
import { registerRoutes, TAGS } from '../routes/index.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { belongsTo } from './rules/accounts/client-address.ts'
import { SCHEMAS } from './schemas/common.ts'
import { settingValues } from './services/settings/settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    deps: Deps
  }
}

/** Above Node's limit of 16 KB for URL and headers, so that no parameter is too long for the router. */
const MAX_PARAM_LENGTH = 20_000

/** Builds the HTTP service: plugins, then routes. */
export async function buildApp(config: Config, deps: Deps, logger: FastifyBaseLogger): Promise<FastifyInstance> {
  // plugins/request-log.ts adds the id of the request to each line, which costs less than a logger per request.
  const shared: FastifyBaseLogger = Object.assign(logger.child({}), { child: () => shared })
  const app: FastifyInstance = fastify({
    loggerInstance: shared,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: Array.isArray(config.trustProxy) ? belongsTo(config.trustProxy) : config.trustProxy,
    genReqId: ({ headers }) => readRequestId(headers['x-request-id']) ?? randomUUID(),
    requestTimeout: 60_000,
    connectionTimeout: SOCKET_TIMEOUT_MS,
    // Requests that arrive during a shutdown are served; plugins/connections.ts ends it.
    return503OnClosing: false,
    // Requests that Node or the router would reject by themselves get our headers and error format.
    http: {
      // Less than requestTimeout, or Node would swap the two.
      headersTimeout: 30_000,
      requireHostHeader: false,
      // An upgrade takes over the connection at once, even if earlier requests on it are unanswered.
      shouldUpgradeCallback: (request) => isWebSocketHandshake(request) && !app.connections.isBusy(request.socket),
    },
    // `named` is addSchema, for all scopes: schemas get their names as routes are registered.
    schemaController: {
      bucket: () => ({
        add: () => {
          throw new Error('Schemas are added by `named`')
        },
        getSchema: (id) => SCHEMAS.get(id),
        getSchemas: () => Object.fromEntries(SCHEMAS),
      }),
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : UNDECODABLE),
    frameworkErrors: sendError,
    clientErrorHandler: () => {},
  })
  app.decorate('deps', deps)

  await app.register(connectionsPlugin)
  await app.register(requestLogPlugin, { level: config.logRequests })
  await app.register(tracingPlugin)
  await app.register(errorsPlugin)
  await app.register(responsesPlugin)
  await app.register(corsPlugin, { origins: config.corsAllowedOrigins })
  await app.register(validationPlugin)
  await app.register(authPlugin, {
    secret: config.jwtSecret,
    expirationMs: config.jwtExpirationMs,
    staffNeedTotp: async () => (await settingValues(deps)).staff_totp_required === 'true',
  })
  await app.register(httpCachingPlugin, { maxAgeSeconds: config.cacheMaxAgeSeconds })
  await app.register(limitsPlugin, config.rateLimits)
  await app.register(accessPlugin)
  await app.register(swaggerPlugin, { version: manifest.version, tags: TAGS })
  await app.register(staticFilesPlugin, { console: config.consoleEnabled, storefront: config.storefrontEnabled })
  await registerRoutes(app)
  return app
}
