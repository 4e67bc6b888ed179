import {
  importBrands,
  importCategories,
  linkWaitingProducts,
} from '../../../db/queries/supplier/import-lists.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { watermarkOf } from '../../rules/supplier/watermarks.ts'
import { freshSetting } from '../settings/settings.ts'
import { type Run, writePage } from './pages.ts'
import { readProducts } from './products.ts'
import { beginReading, endListReading } from './readings.ts'

/**
 * Reads categories, brands and products, and writes them (specification, "Run order"). The watermark of a type is stored
 * in the transaction of its last page.
 * @throws SupplierError
 */
export async function readLists(deps: Deps, run: Run): Promise<void> {
  const fullHours = Number(await freshSetting(deps, 'sync_full_hours'))
  const begin = (type: SyncType) => beginReading(deps, run, type, fullHours)
  const { supplier } = deps

  const categoriesFrom = await begin('CATEGORIES')
  const categories = await supplier.categories(categoriesFrom.since, run.signal)
  // The supplier's time as of the first answer: later ones could miss changes.
  const watermark = watermarkOf(run.startedAt, categories.clock)
  await writePage(deps, run, 'CATEGORIES', categories, async (tx) => {
    const { counts, changed } = await importCategories(tx.db, categories.records)
    tx.recordChange('category', changed)
    await endListReading(tx, run, 'CATEGORIES', { ...categoriesFrom, watermark }, categories)
    return counts
  })

  const brandsFrom = await begin('BRANDS')
  const brands = await supplier.brands(brandsFrom.since, run.signal)
  await writePage(deps, run, 'BRANDS', brands, async (tx) => {
    const { counts, changed } = await importBrands(tx.db, brands.records)
    tx.recordChange('brand', changed)
    tx.recordChange('product', await linkWaitingProducts(tx.db))
    await endListReading(tx, run, 'BRANDS', { ...brandsFrom, watermark }, brands)
    return counts
  })

  await readProducts(deps, run, { ...(await begin('PRODUCTS')), watermark })
}
