import { matchesGlob, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests without I/O: no database, one thread. */
const PURE = [
  'test/rules/**/*.test.ts',
  'test/architecture.test.ts',
  'test/config.test.ts',
  'test/runtime/{cache/caches,changes/changes,search/product-index,concurrency/tasks}.test.ts',
]
/** Tests that mostly wait, for processes or timers. */
const WAITING = [
  'test/clients/**/*.test.ts',
  'test/containers.test.ts',
  'test/db/{database.silence,embedded,migrations}.test.ts',
  'test/demo/server.test.ts',
  'test/jobs/jobs.test.ts',
  'test/routes/admin/notifications.test.ts',
  'test/services/mail/mail.test.ts',
  'test/services/orders/submit*.test.ts',
  'test/services/supplier/sync.failures.test.ts',
  'test/{server,start,start-failures}.test.ts',
]

/** Runs the longest files first and spreads waiting ones among the others, so that some worker is always busy. */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const pure = sorted.filter(({ project }) => project.name === 'rules')
    const others = sorted.filter((file) => !pure.includes(file))
    const waits = ({ moduleId }: TestSpecification) =>
      WAITING.some((pattern) => matchesGlob(relative(import.meta.dirname, moduleId), pattern))
    const waiting = others.filter(waits)
    const working = others.filter((file) => !waits(file))
    const each = working.length / Math.max(1, waiting.length)
    const spread = waiting.flatMap((file, index) => [
      file,
      ...working.slice(Math.round(index * each), Math.round((index + 1) * each)),
    ])
    return [...pure, ...(waiting.length > 0 ? spread : working)]
  }
}

export default defineConfig({
  test: {
    // Generous, for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    // Twice the cores, because about half of the workers wait.
    maxWorkers: 4,
    sequence: { sequencer: Spread },
    projects: [
      {
        extends: true,
        test: { name: 'rules', include: PURE, pool: 'threads', isolate: false, maxWorkers: 1 },
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
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
