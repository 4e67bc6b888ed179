import cors from '@fastify/cors'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { forbidden } from '../src/errors.ts'

/**
 * Allows the listed origins with all headers and credentials (docs/accounts.md). Must be registered
 * before plugins that reject requests: browsers hide an error without CORS headers from the page.
 */
export const corsPlugin = fp<{ origins: string[] }>(
  async (app, { origins }) => {
    if (origins.length === 0) {
      app.options('/api/*', { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
        reply.code(204).send(),
      )
      return
    }
    app.addHook('onRoute', (route) => {
      if (route.method === 'OPTIONS' && route.url === '*') route.config = { ...route.config, access: 'public' }
    })
    await app.register(cors, {
      origin: origins,
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      exposedHeaders: [
        ...['ETag', 'Retry-After', 'Location', 'X-Request-Id', 'X-Total-Count', 'X-Unknown-Parameters'],
        // The file name of an export, which pages download by script in order to send a token.
        'Content-Disposition',
      ],
      credentials: true,
      maxAge: 600,
      strictPreflight: false,
    })
  },
  { name: 'cors', dependencies: ['errors'] },
)

/** For protocols without CORS. Pages of the shop's own host are allowed. @throws AppError 403 */
export async function refuseForeignOrigin({ headers, host, server }: FastifyRequest): Promise<void> {
  const { origin } = headers
  const { corsAllowedOrigins } = server.deps.config
  if (origin === undefined || corsAllowedOrigins.includes(origin) || URL.parse(origin)?.host === host) return
  throw forbidden(`Pages of ${origin} may not connect; see CORS_ALLOWED_ORIGINS`)
}
