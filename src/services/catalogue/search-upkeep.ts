import { countSales, countVocabulary } from '../../../db/queries/catalogue/search.ts'
import type { Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'

/** Over which time it counts how often a product was ordered (contract section 4, "search"). */
const SALES_DAYS = 90

/** Counts anew what searches are ranked and corrected by; nobody misses it for an hour. */
export async function refreshSearch(deps: Pick<Deps, 'db' | 'changes'>): Promise<void> {
  await write(deps, ({ db }) => countVocabulary(db))
  await write(deps, ({ db }) => countSales(db, SALES_DAYS))
}
