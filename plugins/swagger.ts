import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { AppError, notFound } from '../src/errors.ts'
import { createBody, type EncodedBody } from '../src/runtime/cache/encoded-body.ts'
import { Setting } from '../src/schemas/settings.ts'
import { describeEvents } from './asyncapi.ts'
import { sendError } from './errors.ts'
import { sendEncoded } from './http-caching.ts'
import { BEARER, describeRoute, describeWebhooks, INTRODUCTION, refineDocument } from './openapi.ts'

const PREFIX = '/swagger-ui'

type Options = { version: string; tags: { [name: string]: string } }

/** Serves the OpenAPI document of the routes registered after it, and Swagger UI (docs/http.md). */
export const swaggerPlugin = fp<Options>(
  async (app, { version, tags }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Shop API',
          version,
          description: INTRODUCTION,
          contact: { name: 'Shop operator', url: app.deps.config.siteUrl },
        },
        servers: [{ url: '/', description: 'This server, local or production' }],
        tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
        components: { securitySchemes: { bearer: BEARER } },
        webhooks: describeWebhooks(),
      },
      // Each schema that is shared has a name.
      refResolver: { buildLocalReference: ({ $id }) => String($id) },
      // A prefix's `/` matches with and without the slash; describe it without.
      transform: ({ schema, url, route }) => ({
        schema: describeRoute(schema, route),
        url: url.replace(/(?<=.)\/$/, ''),
      }),
      transformObject: (document) => {
        if (!('openapiObject' in document)) return document.swaggerObject
        // A copy: routes share these schemas, and YAML has no place for the functions in them.
        const copy = JSON.parse(JSON.stringify(document.openapiObject))
        // The library takes a member with this name for a keyword of OpenAPI 3.0, and removes it.
        const setting = copy.components.schemas.Setting
        setting.properties.nullable = Setting.properties.nullable
        setting.examples = Setting.examples
        refineDocument(copy)
        return copy
      },
    })
    const page = { config: { access: 'public' as const }, schema: { hide: true }, onRequest: app.costlyLimit() }
    app.get('/swagger-ui.html', page, async (_request, reply) => reply.redirect('/swagger-ui/'))
    // For people who open the server's address in a browser.
    app.get('/', page, async (_request, reply) => reply.redirect('/swagger-ui.html'))
    app.get(
      '/v3/api-docs',
      page,
      serveDocument('json', () => JSON.stringify(app.swagger())),
    )
    app.get(
      '/v3/api-docs.yaml',
      page,
      serveDocument('yaml', () => app.swagger({ yaml: true })),
    )
    app.get(
      '/v3/api-docs/events',
      page,
      serveDocument('json', () => JSON.stringify(describeEvents(version))),
    )
    await app.register(swaggerUiPages)
  },
  { name: 'swagger', dependencies: ['access', 'limits'] },
)

/** Serves a document that is built with the first request. */
function serveDocument(format: 'json' | 'yaml', build: () => string): RouteHandlerMethod {
  let body: EncodedBody | undefined
  return async (request, reply) => {
    body ??= createBody(Buffer.from(build()))
    reply.addHeaders({ 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' })
    return sendEncoded(request, reply.type(`application/${format}; charset=utf-8`), body)
  }
}

async function swaggerUiPages(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' }
  })
  app.addHook('onRequest', app.costlyLimit())
  // The page reads its description here. The plugin would serialise the document for each request.
  app.addHook('onRequest', async ({ routeOptions: { url } }, reply) => {
    if (url === `${PREFIX}/json`) return reply.redirect('/v3/api-docs')
    if (url === `${PREFIX}/yaml`) throw notFound('path')
  })
  // Paths that leave the folder, or that the file system rejects.
  app.setErrorHandler((error, request, reply) =>
    sendError(error instanceof AppError ? error : notFound('path'), request, reply),
  )
  await app.register(swaggerUi, {
    routePrefix: PREFIX,
    uiConfig: { persistAuthorization: true, displayOperationId: true, docExpansion: 'none' },
    staticCSP: true,
    // Over plain HTTP it would ask for the page's files over TLS.
    transformStaticCSP: (header) => header.replace(' upgrade-insecure-requests;', ''),
  })
}
