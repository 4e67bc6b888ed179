import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import type { Deps } from '../../src/deps.ts'
import { openShop } from '../../src/shop.ts'

/**
 * Dependencies of a child process that a test kills, configured by TEST_DATABASE_URL and TEST_SUPPLIER_URL, and
 * optionally TEST_DATA_DIR and TEST_XML_FEED_URL.
 */
export async function childDeps(variables: Record<string, string> = {}): Promise<Deps> {
  const { TEST_DATABASE_URL, TEST_SUPPLIER_URL, TEST_DATA_DIR, TEST_XML_FEED_URL } = process.env
  if (!TEST_DATABASE_URL || !TEST_SUPPLIER_URL) {
    throw new Error('TEST_DATABASE_URL and TEST_SUPPLIER_URL must be set')
  }
  const environment = readConfig({
    DATA_DIR: TEST_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'shop-data-'))),
    XML_FEED_URL: TEST_XML_FEED_URL,
    SUPPLIER_TOKEN: 'supplier-token',
    SUPPLIER_REQUEST_DELAY_MS: '0',
    ...variables,
  })
  const config = {
    ...environment,
    databaseUrl: TEST_DATABASE_URL,
    jwtSecret: 'ab'.repeat(32),
    supplier: { ...environment.supplier, baseUrl: TEST_SUPPLIER_URL },
  }
  return openShop(config, pino({ level: 'silent' })).deps
}
