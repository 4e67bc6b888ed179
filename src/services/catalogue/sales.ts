import { countSales } from '../../../db/queries/catalogue/sales.ts'
import type { Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'

/** Over which time it counts how often a product was ordered (contract section 4, "search"). */
const SALES_DAYS = 90

/** Counts anew what matches of a search are sorted by; nobody misses it for an hour. */
export async function refreshSales(deps: Pick<Deps, 'db' | 'changes'>): Promise<void> {
  await write(deps, async (tx) => tx.recordChange('demand', await countSales(tx.db, SALES_DAYS)))
}
