import { tmpdir } from 'node:os'
import { join, matchesGlob, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Halves the start of processes and worker threads.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')

/** Tests without I/O: no database, one thread. */
const PURE = [
  'test/rules/**/*.test.ts',
  'test/architecture.test.ts',
  'test/config*.test.ts',
  'test/compose.test.ts',
  'test/image.test.ts',
  'test/runtime/{cache/caches,changes/changes,search/product-index,concurrency/tasks}.test.ts',
]
/** Tests that mostly wait, for processes or timers; the longest first. */
const WAITING = [
  'test/server.test.ts',
  'test/start.test.ts',
  'test/rolling-update.test.ts',
  'test/db/embedded.test.ts',
  'test/docs.test.ts',
  'test/clients/storage/storage.test.ts',
  'test/start-failures.test.ts',
  'test/services/orders/submit.test.ts',
  'test/jobs/jobs.test.ts',
  'test/services/mail/mail.test.ts',
  'test/routes/admin/notifications.test.ts',
  'test/db/*silence.test.ts',
  'test/services/supplier/*failures.test.ts',
  'test/db/migrations.test.ts',
  'test/*containers.test.ts',
  'test/demo/server.test.ts',
  'test/clients/**/*.test.ts',
]
/** Tests that work for ten seconds or more; the longest first. */
const LONG = [
  'test/description/*.test.ts',
  'test/services/pipeline/run*.test.ts',
  'test/services/published/*.test.ts',
  'test/services/orders/place*.test.ts',
  'test/services/scraping/run*.test.ts',
  'test/services/supplier/*.test.ts',
  'test/routes/images*.test.ts',
  'test/runtime/search/product-search.test.ts',
  'test/services/catalogue/*.test.ts',
  'test/access.test.ts',
  'test/db/queries/**/*.test.ts',
  'test/runtime/workers/*.test.ts',
  'test/routes/{auth*,contacts,feeds,sitemap,product-editing*}.test.ts',
  'test/services/{media,stock,mail}/*.test.ts',
]

/** Runs the longest files first and spreads waiting ones among the others, so that some worker is always busy. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (patterns: string[]) => {
      const ranks = new Map(
        files.map((file) => {
          const path = relative(import.meta.dirname, file.moduleId)
          const index = patterns.findIndex((pattern) => matchesGlob(path, pattern))
          return [file, index < 0 ? patterns.length : index]
        }),
      )
      return (file: TestSpecification) => ranks.get(file) ?? 0
    }
    const [waitingRank, longRank] = [rank(WAITING), rank(LONG)]
    const sorted = await super.sort(files)
    const waiting = sorted
      .filter((file) => waitingRank(file) < WAITING.length)
      .sort((a, b) => waitingRank(a) - waitingRank(b))
    const working = sorted.filter((file) => !waiting.includes(file)).sort((a, b) => longRank(a) - longRank(b))
    const each = working.length / Math.max(1, waiting.length)
    const spread = waiting.flatMap((file, index) => [
      file,
      ...working.slice(Math.round(index * each), Math.round((index + 1) * each)),
    ])
    return waiting.length > 0 ? spread : working
  }
}

export default defineConfig({
  test: {
    setupFiles: 'test/support/seed.ts',
    // Generous, for a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Twice the cores, because about half of the workers wait.
    maxWorkers: 4,
    sequence: { sequencer: Spread },
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
