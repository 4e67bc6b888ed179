import { matchesGlob, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What computes and nothing else: one thread after the other, no database. */
const PURE = [
  'test/rules/**/*.test.ts',
  'test/architecture.test.ts',
  'test/config.test.ts',
  'test/runtime/{cache/caches,changes/changes,search/product-index,concurrency/tasks}.test.ts',
]
/** What starts processes, or waits for time to pass. */
const WAITING = [
  'test/clients/**/*.test.ts',
  'test/containers.test.ts',
  'test/db/{embedded,migrations,silence}.test.ts',
  'test/demo/server.test.ts',
  'test/jobs/jobs.test.ts',
  'test/routes/admin/notifications.test.ts',
  'test/services/mail/outbox.test.ts',
  'test/services/orders/submit*.test.ts',
  'test/services/supplier/sync-*.test.ts',
  'test/{server,start,start-failures}.test.ts',
]

/** The longest first, and those that wait spread among those that work: the cores are never all waiting. */
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
    // What is waited for comes at once, unless the machine is busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    // More than the cores it is meant for: half of them wait, most of the time.
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
          // Each file has a database and a shop of its own; loading the code again for each would cost half as much again.
          isolate: false,
          globalSetup: 'test/global-setup.ts',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
