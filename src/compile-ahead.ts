/**
 * Run at installation, with the options of the start: what is loaded here then lies compiled in the folder that
 * NODE_COMPILE_CACHE names. Otherwise the first start does it, which takes that one half a second longer and 14 MB more.
 */
await Promise.all([
  import('./server.ts'),
  import('./start.ts'),
  import('../demo/in-process.ts'),
  import('./clients/supplier/http.ts'),
  import('./clients/storefront/http.ts'),
  import('./runtime/password-worker.ts'),
  import('./runtime/page-reading-worker.ts'),
])
