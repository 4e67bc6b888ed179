import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const ROOT = import.meta.dirname
const SHOP = process.env.SHOP_URL ?? 'http://127.0.0.1:3000'
const SHOP_PATHS = /^\/(api|v3|swagger-ui|health)/
const PAGES = ['console', 'storefront']

/** In development the paths of console and storefront are the browser's, too. */
const clientRoutes: Plugin = {
  name: 'client-routes',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      const { url = '', headers } = request
      const isPage = /^\/[^.@?]*(\?|$)/.test(url) && /\btext\/html\b/.test(headers.accept ?? '')
      if (isPage && url.startsWith('/console/')) request.url = '/console/index.html'
      else if (isPage && !SHOP_PATHS.test(url)) request.url = '/storefront/index.html'
      next()
    })
  },
}

/** Compressed once, with the best that the codings have, instead of by each request. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|css|html|svg)$/.test(name)) continue
      const bytes = readFileSync(join(dir, name))
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes))
    }
  },
}

/** React Aria brings its words in 34 languages, of which the console speaks two. */
const twoLanguages: Plugin = {
  name: 'two-languages',
  load(id) {
    const [, language] = /\/react-aria.*\/intl\/.*\/?([a-z]{2})-[A-Z]{2}\.mjs$/.exec(id) ?? []
    return language === undefined || language === 'en' || language === 'ru' ? undefined : 'export default {}'
  },
}

export default defineConfig({
  root: ROOT,
  plugins: [react(), twoLanguages, clientRoutes, compressed],
  server: {
    proxy: {
      [SHOP_PATHS.source]: SHOP,
      '/ws': { target: SHOP, ws: true },
    },
  },
  build: {
    outDir: 'dist',
    // A data: URL would be a second place to look for a file.
    assetsInlineLimit: 0,
    rolldownOptions: { input: Object.fromEntries(PAGES.map((page) => [page, join(ROOT, page, 'index.html')])) },
    reportCompressedSize: false,
  },
  // As `npm run dev` calls it at the first request of a page.
  optimizeDeps: { entries: PAGES.map((page) => `${page}/index.html`) },
})
