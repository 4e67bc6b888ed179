import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import { AppError, notFound } from '../src/errors.ts'
import { serveDocument } from './api-document.ts'
import { describeEvents } from './asyncapi.ts'
import { costs } from './budget.ts'
import { sendError } from './errors.ts'
import { BEARER, describeAccess, INTRODUCTION, refineDocument, securityOf } from './openapi.ts'
import { describeResponses } from './openapi-responses.ts'
import { describeWebhooks } from './openapi-webhooks.ts'

const PAGE_COST = 2048
/** Sending 600 KB uncompressed. */
const DOCUMENT_COST = 16_384

/** Serves the OpenAPI document and Swagger UI (specification, "Versioning"). Must be registered before the routes. */
export const swaggerPlugin = fp<{ version: string; tags: { [name: string]: string } }>(
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
      },
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, index) =>
          typeof json.$id === 'string' ? json.$id : `def-${index}`,
      },
      transform: ({ schema, url, route }) => {
        const { access, optionalToken } = route.config ?? {}
        const described: FastifySchema = { ...schema }
        if (access !== undefined && !described.hide) {
          const { description } = described
          described.description = [description, describeAccess({ access, optionalToken })].join(' ').trim()
          described.security = securityOf({ access, optionalToken })
          described.response = describeResponses(route)
        }
        // A prefix's `/` matches with and without the slash; describe it without.
        return { schema: described, url: url.replace(/(?<=.)\/$/, '') }
      },
      transformObject: (document) => {
        if (!('openapiObject' in document)) return document.swaggerObject
        Object.assign(document.openapiObject, { webhooks: describeWebhooks() })
        refineDocument(document.openapiObject)
        return document.openapiObject
      },
    })

    const json = serveDocument('json', () => JSON.stringify(app.swagger()))
    const yaml = serveDocument('yaml', () => app.swagger({ yaml: true }))
    await app.register(async (page) => {
      page.addHook('onRequest', costs(PAGE_COST))
      page.addHook('onRoute', (route) => {
        route.config = { ...route.config, access: 'public' }
        // The page's own copies would serialise the document for each request.
        if (route.url.endsWith('/json')) route.handler = json
        if (route.url.endsWith('/yaml')) route.handler = yaml
      })
      // Paths that leave the folder, or that the file system rejects.
      page.setErrorHandler((error, request, reply) =>
        sendError(error instanceof AppError ? error : notFound('path'), request, reply),
      )
      await page.register(swaggerUi, {
        routePrefix: '/swagger-ui',
        uiConfig: {
          url: '/v3/api-docs',
          persistAuthorization: true,
          displayOperationId: true,
          docExpansion: 'none',
        },
        staticCSP: true,
      })
    })

    const open = {
      config: { access: 'public' as const },
      schema: { hide: true },
      onRequest: costs(DOCUMENT_COST),
    }
    app.get('/swagger-ui.html', open, async (_request, reply) => reply.redirect('/swagger-ui/'))
    app.get('/v3/api-docs', open, json)
    app.get('/v3/api-docs.yaml', open, yaml)
    const events = serveDocument('json', () => JSON.stringify(describeEvents(version)))
    app.get('/v3/api-docs/events', open, events)
  },
  { name: 'swagger', dependencies: ['auth'] },
)
