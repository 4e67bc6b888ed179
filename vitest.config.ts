import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Halves the start of processes and worker threads.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')

// Times are UTC, wherever the process runs: a place far from it notices what takes the local time instead.
process.env.TZ = 'Asia/Vladivostok'

/** Tests without I/O: no database, one thread. */
const PURE = [
  'test/rules/**/*.test.ts',
  'test/architecture.test.ts',
  'test/config*.test.ts',
  'test/docs.test.ts',
  'test/regular-expressions.test.ts',
  'test/runtime/{cache/caches,changes/changes,search/product-index,concurrency/tasks}.test.ts',
]

export default defineConfig({
  test: {
    // Node runs TypeScript itself, which is quicker than Vite's transforms; nothing here is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Else a concurrent test that starts would clear the calls which the others count.
    clearMocks: false,
    setupFiles: 'test/support/setup.ts',
    // Generous, for a busy machine: longer than any wait within a test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 90_000 } },
    // Twice the cores, because about half of the workers wait.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: { name: 'rules', include: PURE, pool: 'threads', isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'database',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          // Files share no state but modules; isolation would take half as long again.
          isolate: false,
          globalSetup: 'test/global-setup.ts',
        },
      },
    ],
  },
})
