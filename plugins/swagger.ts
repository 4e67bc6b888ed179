import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import type { Access } from '../src/rules/accounts/roles.ts'

/** The API description and its page (specification, "Versioning"). Registered before the routes, to see them all. */
export const swaggerPlugin = fp<{ version: string }>(
  async (app, { version }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Shop API',
          version,
          description: 'Storefront and administration API. Log in, then send the token as a bearer token.',
        },
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      },
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, index) =>
          typeof json.$id === 'string' ? json.$id : `def-${index}`,
      },
      transform: ({ schema, url, route }) => {
        const access = route.config?.access
        const described: FastifySchema = { ...schema }
        if (access !== undefined && !described.hide) {
          const { summary, description } = described
          described.security = access === 'public' ? [] : [{ bearer: [] }]
          described.description = [description ?? summary, `Access: ${inWords(access)}.`].join('. ')
        }
        // `/` of a prefix answers with and without the slash; it is described without.
        return { schema: described, url: url.replace(/(?<=.)\/$/, '') }
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

function inWords(access: Access): string {
  if (access === 'public') return 'anyone'
  return access === 'user' ? 'any logged-in user' : `${access} and above`
}
