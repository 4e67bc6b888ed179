import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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

/** The slowest files. */
const SLOW = [
  'web/console/console',
  'routes/edits.shown',
  'runtime/workers/images.memory',
  'plugins/connections.pipelining',
  'runtime/tracing',
  'backup/restore',
  'web/storefront/pages',
  'web/storefront/shopping',
  'web/storefront/account',
  'services/privacy/account',
].map((name) => `/test/${name}.test.ts`)

/** Starts the slowest files first, also where no earlier run has measured them: one that starts last would run alone. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.some((name) => moduleId.endsWith(name))
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

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
    sequence: { sequencer: SlowFirst },
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
