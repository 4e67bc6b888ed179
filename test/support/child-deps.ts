import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import type { Deps } from '../../src/deps.ts'
import { openShop } from '../../src/shop.ts'

/**
 * Dependencies of a child process that a test kills, configured by TEST_DATABASE_URL, TEST_SUPPLIER_URL and TEST_DATA_DIR,
 * which the test deletes, and optionally TEST_XML_FEED_URL.
 */
export async function childDeps(variables: Record<string, string> = {}): Promise<Deps> {
  const { TEST_DATABASE_URL, TEST_SUPPLIER_URL, TEST_DATA_DIR, TEST_XML_FEED_URL } = process.env
  if (!TEST_DATABASE_URL || !TEST_SUPPLIER_URL || !TEST_DATA_DIR) {
    throw new Error('TEST_DATABASE_URL, TEST_SUPPLIER_URL and TEST_DATA_DIR must be set')
  }
  const environment = readConfig({
    DATA_DIR: TEST_DATA_DIR,
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
