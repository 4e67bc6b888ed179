import { type FastifyInstance, fastify, type RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { notFound } from '../src/errors.ts'
import { createBody, type EncodedBody } from '../src/runtime/cache/encoded-body.ts'
import { SCHEMAS } from '../src/schemas/common.ts'
import { describeEvents } from './asyncapi.ts'
import { sendEncoded } from './http-caching.ts'
import { BEARER, describeRoute, describeWebhooks, INTRODUCTION, refineDocument } from './openapi.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document. */
    describeApi(): Promise<object>
  }
}

const PREFIX = '/swagger-ui'

type Options = { version: string; tags: { [name: string]: string } }

/** Serves the OpenAPI document and Swagger UI (specification, "Versioning"). */
export const swaggerPlugin = fp<Options>(
  async (app, options) => {
    let building: Promise<FastifyInstance> | undefined
    const documentation = () => {
      building ??= buildDocumentation(app, options)
      return building
    }
    app.decorate('describeApi', async () => (await documentation()).swagger())
    const page = { config: { access: 'public' as const }, schema: { hide: true }, onRequest: app.costlyLimit() }
    app.get('/swagger-ui.html', page, async (_request, reply) => reply.redirect('/swagger-ui/'))
    // For people who open the server's address in a browser.
    app.get('/', page, async (_request, reply) => reply.redirect('/swagger-ui.html'))
    for (const url of [PREFIX, `${PREFIX}/*`]) {
      app.get(url, page, async ({ raw, headers }, reply) => {
        const { url = '/' } = raw
        // The page reads its description here. The plugin would serialise the document for each request.
        if (url === `${PREFIX}/json`) return reply.redirect('/v3/api-docs')
        if (/^\/swagger-ui\/(json|yaml)/.test(url)) throw notFound('path')
        const docs = await documentation()
        const found = await docs.inject({ method: 'GET', url, headers })
        // Paths that leave the folder, or that the file system rejects.
        if (found.statusCode >= 400) throw notFound('path')
        // Of the inner app's connection, which never existed.
        const { connection: _, date: __, ...shown } = found.headers
        return reply.code(found.statusCode).headers(shown).send(found.rawPayload)
      })
    }
    const describe = async () => JSON.stringify(await app.describeApi())
    app.get('/v3/api-docs', page, serveDocument('json', describe))
    const describeInYaml = async () => (await documentation()).swagger({ yaml: true })
    app.get('/v3/api-docs.yaml', page, serveDocument('yaml', describeInYaml))
    const events = async () => JSON.stringify(describeEvents(options.version))
    app.get('/v3/api-docs/events', page, serveDocument('json', events))
  },
  { name: 'swagger', dependencies: ['auth', 'limits'] },
)

/** Serves a document that is built with the first request. */
function serveDocument(format: 'json' | 'yaml', build: () => Promise<string>): RouteHandlerMethod {
  let body: EncodedBody | undefined
  return async (request, reply) => {
    body ??= createBody(Buffer.from(await build()))
    reply.addHeaders({ 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' })
    return sendEncoded(request, reply.type(`application/${format}; charset=utf-8`), body)
  }
}

/** Describes all routes in an app of its own, at the first request: most shops never need it. */
async function buildDocumentation(app: FastifyInstance, { version, tags }: Options): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const docs: FastifyInstance = fastify({ exposeHeadRoutes: false })
  // Nothing calls the described routes.
  docs.setValidatorCompiler(() => () => true)
  docs.setSerializerCompiler(() => String)
  for (const schema of SCHEMAS.values()) docs.addSchema(schema)
  await docs.register(swagger, {
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
      refineDocument(copy)
      return copy
    },
  })
  await docs.register(swaggerUi, {
    routePrefix: PREFIX,
    uiConfig: { persistAuthorization: true, displayOperationId: true, docExpansion: 'none' },
    staticCSP: true,
    // Over plain HTTP it would ask for the page's files over TLS.
    transformStaticCSP: (header) => header.replace(' upgrade-insecure-requests;', ''),
  })
  for (const { method, url, schema, config } of app.declaredRoutes) {
    if (schema?.hide) continue
    const methods = [method].flat()
    // HEAD is described where a route declares it, not where Fastify adds it to a GET.
    const shown = { ...config, swagger: { exposeHeadRoute: methods.length > 1 } }
    for (const one of methods)
      docs.route({ method: one, url, ...(schema && { schema }), config: shown, handler: () => {} })
  }
  await docs.ready()
  return docs
}
