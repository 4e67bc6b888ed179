import { Catalogue } from '../../demo/catalogue.ts'
import { getSyncRun, startSync } from '../../src/services/supplier/sync.ts'
import { startFaultySupplier } from './faulty-supplier.ts'
import { startTestShop } from './shop.ts'

export type SupplierShop = Awaited<ReturnType<typeof startSupplierShop>>

/** Starts a shop and a demo supplier whose catalogue the test controls. */
export async function startSupplierShop(
  environment: Record<string, string> = {},
  catalogue = new Catalogue(),
  options: Parameters<typeof startTestShop>[1] = {},
) {
  const timeZone = environment.SUPPLIER_TIME_ZONE ?? 'UTC'
  const supplier = await startFaultySupplier({ catalogue, token: TOKEN, timeZone })
  return { catalogue, ...(await startShopOf(supplier, environment, options)) }
}

const TOKEN = 'supplier-token'

/** Starts a shop with this supplier; closing the shop closes it, too. */
export async function startShopOf<Supplier extends { url: string; close(): Promise<void> }>(
  supplier: Supplier,
  environment: Record<string, string>,
  options: Parameters<typeof startTestShop>[1],
) {
  const access = { SUPPLIER_BASE_URL: supplier.url, SUPPLIER_TOKEN: TOKEN, SUPPLIER_REQUEST_DELAY_MS: '0' }
  const shop = await startTestShop({ ...access, ...environment }, options)
  return {
    supplier,
    shop,
    /** Runs a manual sync to its end. */
    async sync(wanted: { full?: boolean; acceptVanished?: boolean } = {}) {
      const { runId, finished } = await startSync(shop.deps, 'MANUAL', wanted)
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
