import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { notFound } from '../src/errors.ts'
import { SLIP_STYLE } from '../src/rules/orders/print.ts'

const BUILD = join(import.meta.dirname, '../web/dist')
const YEAR_MS = 365 * 24 * 3_600_000

declare module 'fastify' {
  interface FastifyReply {
    /** Sends the page that starts the console or the storefront. */
    sendPage(name: 'console' | 'storefront'): FastifyReply
  }
}

/** A page of our own may load and send only what is ours. It turns no text into markup or script. */
const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    // And the packing slip's, which the console opens as a blob:, where this policy holds.
    `style-src 'self' 'sha256-${hash('sha256', SLIP_STYLE, 'base64')}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self' ws: wss:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
}

/** Paths that answer JSON or a redirect to programs, and a page of the storefront to browsers. */
const SHARED_PATHS = ['/', '/tags/:slug']

type Strategy = Parameters<FastifyInstance['addConstraintStrategy']>[0]
type Handler = NonNullable<ReturnType<ReturnType<Strategy['storage']>['get']>>

/** `constraints: { browser: true }`: the route is for clients that ask for HTML. */
const BROWSER: Strategy = {
  name: 'browser',
  storage() {
    const handlers = new Map<unknown, Handler>()
    return {
      get: (isBrowser: unknown) => handlers.get(isBrowser) ?? null,
      set: (isBrowser: unknown, handler: Handler) => void handlers.set(isBrowser, handler),
    }
  },
  deriveConstraint: ({ headers }) => /\btext\/html\b/.test(headers.accept ?? ''),
  validate: () => {},
}

/** Serves what `npm run build -w web` has built (docs/console.md). */
export const staticFilesPlugin = fp<{ console: boolean; storefront: boolean }>(
  async (app, options) => {
    if (!options.console && !options.storefront) return
    if (!existsSync(BUILD)) {
      app.log.warn('web/dist is missing, so there is no console and no storefront: npm run build -w web')
    }
    await app.register(fastifyStatic, {
      root: BUILD,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      lastModified: false,
    })
    app.decorateReply('sendPage', function sendPage(this: FastifyReply, name: string) {
      return this.headers(PAGE_HEADERS).sendFile(`${name}/index.html`)
    })
    if (options.storefront) {
      app.addConstraintStrategy(BROWSER)
      app.addHook('onRequest', (request, reply, done) => {
        if (SHARED_PATHS.includes(request.routeOptions.url ?? '')) reply.addHeaders({ vary: 'Accept' })
        done()
      })
    }
    const page = { config: { access: 'public' as const }, schema: { hide: true } }

    if (options.console) {
      app.get('/console', page, async (_request, reply) => reply.redirect('/console/'))
      // Paths below are the browser's to tell apart.
      app.get('/console/*', page, async (_request, reply) => reply.sendPage('console'))
    }
    // The names of files carry their content.
    app.get<{ Params: { '*': string } }>('/assets/*', page, async ({ params }, reply) => {
      if (!/^[\w-][\w.-]*$/.test(params['*'])) throw notFound('path')
      return reply.sendFile(`assets/${params['*']}`, { cacheControl: true, maxAge: YEAR_MS, immutable: true })
    })
  },
  { name: 'static-files', dependencies: ['access', 'responses'] },
)
