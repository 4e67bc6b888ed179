import { randomUUID } from 'node:crypto'
import helmet from '@fastify/helmet'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import { authPlugin } from '../plugins/auth.ts'
import { corsPlugin } from '../plugins/cors.ts'
import { errorsPlugin, sendError } from '../plugins/errors.ts'
import { jsonReplyPlugin } from '../plugins/json-reply.ts'
import { rateLimitPlugin } from '../plugins/rate-limit.ts'
import { swaggerPlugin } from '../plugins/swagger.ts'
import { compileValidator } from '../plugins/validator.ts'
import { registerRoutes } from '../routes/index.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { AuditEntry } from './schemas/audit.ts'
import { Session } from './schemas/auth.ts'
import { Brand } from './schemas/brands.ts'
import { Cart } from './schemas/cart.ts'
import { Category, CategoryNode, NavigationCategory } from './schemas/categories.ts'
import { ErrorBody, Unauthorized } from './schemas/common.ts'
import { ContactRequest } from './schemas/contacts.ts'
import { TestMailResult } from './schemas/notifications.ts'
import { Order, OrderDetails, OrderItem } from './schemas/orders.ts'
import { Product, ProductAttribute, ProductCard } from './schemas/products.ts'
import { PublicSetting, PublicSettings, Setting } from './schemas/settings.ts'
import { StartedSync, SyncRun, SyncRunDetails, SyncState } from './schemas/sync.ts'
import { User } from './schemas/users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    deps: Deps
  }
}

const SLOW_REQUEST_MS = 1000

const CATALOGUE_SCHEMAS = [
  ProductAttribute,
  Product,
  ProductCard,
  NavigationCategory,
  CategoryNode,
  Category,
  Brand,
  Cart,
]

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
  app.setValidatorCompiler(compileValidator)
  app.decorate('deps', deps)
  acceptEmptyJson(app)
  closeKeptConnections(app)
  app.addSchema(ErrorBody)
  for (const schema of [Setting, PublicSettings, PublicSetting]) app.addSchema(schema)
  for (const schema of [Session, User, AuditEntry]) app.addSchema(schema)
  for (const schema of [ContactRequest, TestMailResult]) app.addSchema(schema)
  for (const schema of CATALOGUE_SCHEMAS) app.addSchema(schema)
  for (const schema of [OrderItem, Order, OrderDetails]) app.addSchema(schema)
  for (const schema of [Unauthorized, StartedSync, SyncRun, SyncRunDetails, SyncState]) app.addSchema(schema)

  await app.register(errorsPlugin)
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

/** Clients that send `content-type: application/json` with every POST shall be able to call actions without a body. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    return parse(request, body.toString(), done)
  })
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
