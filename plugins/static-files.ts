import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import fp from 'fastify-plugin'
import { notFound } from '../src/errors.ts'

const BUILD = join(import.meta.dirname, '../web/dist')
const YEAR_MS = 365 * 24 * 3_600_000

/** A page of our own may load and send only what is ours. It turns no text into markup or script. */
const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
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

/** Serves what `npm run build -w web` has built (docs/console.md). */
export const staticFilesPlugin = fp<{ console: boolean }>(
  async (app, options) => {
    if (!options.console) return
    if (!existsSync(BUILD)) {
      app.log.warn('web/dist is missing, so there is no console: npm run build -w web')
    }
    await app.register(fastifyStatic, {
      root: BUILD,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      lastModified: false,
    })
    const page = { config: { access: 'public' as const }, schema: { hide: true } }

    app.get('/console', page, async (_request, reply) => reply.redirect('/console/'))
    // Paths below are the browser's to tell apart.
    app.get('/console/*', page, async (_request, reply) => {
      return reply.headers(PAGE_HEADERS).sendFile('console/index.html')
    })
    // The names of files carry their content.
    app.get<{ Params: { '*': string } }>('/assets/*', page, async ({ params }, reply) => {
      if (!/^[\w-][\w.-]*$/.test(params['*'])) throw notFound('path')
      return reply.sendFile(`assets/${params['*']}`, { cacheControl: true, maxAge: YEAR_MS, immutable: true })
    })
  },
  { name: 'static-files', dependencies: ['access', 'responses'] },
)
