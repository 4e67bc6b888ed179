import { Catalogue } from '../../demo/catalogue.ts'
import { type DemoSupplier, startDemoSupplier } from '../../demo/supplier.ts'
import type { SyncRunDetails } from '../../src/schemas/sync.ts'
import { getSyncRun, startSync } from '../../src/services/supplier/sync.ts'
import { startTestShop, type TestShop } from './shop.ts'

export type SupplierShop = {
  supplier: DemoSupplier
  catalogue: Catalogue
  shop: TestShop
  /** Runs a manual sync to its end. */
  sync(): Promise<SyncRunDetails>
  close(): Promise<void>
}

/** Starts a shop and a demo supplier whose catalogue the test controls. */
export async function startSupplierShop(
  environment: Record<string, string> = {},
  catalogue = new Catalogue(),
  options: Parameters<typeof startTestShop>[1] = {},
): Promise<SupplierShop> {
  const supplier = await startDemoSupplier({
    catalogue,
    token: 'supplier-token',
    timeZone: environment.SUPPLIER_TIME_ZONE ?? 'UTC',
  })
  const shop = await startTestShop(
    {
      SUPPLIER_BASE_URL: supplier.url,
      SUPPLIER_TOKEN: 'supplier-token',
      SUPPLIER_REQUEST_DELAY_MS: '0',
      ...environment,
    },
    options,
  )
  return {
    supplier,
    catalogue,
    shop,
    async sync() {
      const { runId, finished } = await startSync(shop.deps, 'MANUAL')
      await finished
      return getSyncRun(shop.deps, runId)
    },
    async close() {
      await shop.deps.tasks.stop()
      await shop.close()
      await supplier.close()
    },
  }
}
