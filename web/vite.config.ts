import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const ROOT = import.meta.dirname
const SHOP = process.env.SHOP_URL ?? 'http://127.0.0.1:3000'
const PAGES = ['console', 'storefront']

/** In development the paths of the console are the browser's, too. */
const clientRoutes: Plugin = {
  name: 'client-routes',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      if (/^\/console\/[^.?]*(\?|$)/.test(request.url ?? '')) request.url = '/console/index.html'
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

export default defineConfig({
  root: ROOT,
  plugins: [react(), clientRoutes, compressed],
  server: {
    proxy: {
      '^/(api|v3|swagger-ui|health)': SHOP,
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
