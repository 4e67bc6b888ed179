import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import { BEARER, describeAccess, INTRODUCTION, refineDocument, securityOf } from './openapi.ts'
import { describeResponses } from './openapi-responses.ts'

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
        refineDocument(document.openapiObject)
        return document.openapiObject
      },
    })

    await app.register(async (page) => {
      page.addHook('onRoute', (route) => {
        route.config = { ...route.config, access: 'public' }
      })
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

    const open = { config: { access: 'public' as const }, schema: { hide: true } }
    app.get('/swagger-ui.html', open, async (_request, reply) => reply.redirect('/swagger-ui/'))
    app.get('/v3/api-docs', open, async () => app.swagger())
    app.get('/v3/api-docs.yaml', open, async (_request, reply) =>
      reply.type('application/yaml; charset=utf-8').send(app.swagger({ yaml: true })),
    )
  },
  { name: 'swagger', dependencies: ['auth'] },
)
