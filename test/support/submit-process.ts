import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { findUser } from '../../db/queries/users.ts'
import { readConfig } from '../../src/config.ts'
import { createDeps } from '../../src/deps.ts'

/** A process of its own that submits the order of its first argument, to be killed by the test. */
const { TEST_DATABASE_URL, TEST_SUPPLIER_URL, TEST_USER_ID } = process.env
if (!TEST_DATABASE_URL || !TEST_SUPPLIER_URL || !TEST_USER_ID)
  throw new Error('TEST_DATABASE_URL, TEST_SUPPLIER_URL and TEST_USER_ID must be set')

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
const manager = await findUser(deps.db, Number(TEST_USER_ID))
if (manager) await deps.orderSubmission.submit(Number(process.argv[2]), manager)
