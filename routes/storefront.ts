import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { SlugParams } from '../src/schemas/products.ts'
import { findPage, PAGE_KINDS } from '../src/services/published/pages.ts'

/** Pages whose content the browser chooses. */
const PLAIN_PAGES = [
  '/brands',
  '/categories',
  '/search',
  '/cart',
  '/checkout',
  '/account',
  '/contact',
  '/forgot-password',
  '/reset-password',
  '/order/:trackingToken',
]

/** The storefront's pages (docs/storefront.md): the addresses that sitemap, feeds and mails name, and its own. */
export const storefrontRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  if (!deps.config.storefrontEnabled) return
  const hidden = { config: { access: 'public' as const }, schema: { hide: true } }
  // These paths answer JSON, too.
  const forBrowsers = { ...hidden, constraints: { browser: true } }

  app.get('/', forBrowsers, async (_request, reply) => reply.sendPage('storefront'))
  for (const path of PLAIN_PAGES) app.get(path, hidden, async (_request, reply) => reply.sendPage('storefront'))

  for (const kind of PAGE_KINDS) {
    app.get(`/${kind}/:slug`, {
      ...(kind === 'tags' ? forBrowsers : hidden),
      schema: { hide: true, params: SlugParams },
      handler: async (request, reply) => {
        const { status, movedTo } = await findPage(deps, kind, request.params.slug)
        if (movedTo === null) return reply.code(status).sendPage('storefront')
        return reply.header('cache-control', 'no-cache').redirect(`/${kind}/${movedTo}`, status)
      },
    })
  }
}
