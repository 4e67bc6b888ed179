import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { createDeps } from '../../src/deps.ts'

/** A process of its own that begins a sync run and tells its id, to be killed by the test. */
const { TEST_DATABASE_URL, TEST_SUPPLIER_URL } = process.env
if (!TEST_DATABASE_URL || !TEST_SUPPLIER_URL)
  throw new Error('TEST_DATABASE_URL and TEST_SUPPLIER_URL must be set')

const config = readConfig({
  DATA_DIR: await mkdtemp(join(tmpdir(), 'shop-data-')),
  SUPPLIER_TOKEN: 'supplier-token',
  SUPPLIER_REQUEST_DELAY_MS: '0',
})
const { deps } = createDeps(
  {
    ...config,
    databaseUrl: TEST_DATABASE_URL,
    jwtSecret: 'ab'.repeat(32),
    supplier: { ...config.supplier, baseUrl: TEST_SUPPLIER_URL },
  },
  pino({ level: 'silent' }),
)
const { runId } = await deps.sync.start('MANUAL')
process.send?.(JSON.stringify({ runId }))
