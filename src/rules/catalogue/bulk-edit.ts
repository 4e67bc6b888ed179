import { faultsOf, refuse } from '../../errors.ts'
import type { Fault } from '../faults/sentences.ts'
import { readSearch } from './search.ts'

export const MAX_BULK_PRODUCTS = 10_000

/** The change to each product; absent members leave it as it is. */
export type BulkChange = {
  active?: boolean | null
  sitePrice?: number | null
  /** Of the product's own price. */
  sitePricePercent?: number
  categoryId?: number | null
  addTagIds?: number[]
  removeTagIds?: number[]
}

type Filter = { search?: string; inStock?: boolean; attributes?: object[] }
type BulkEdit = { ids?: number[]; filter?: Filter; all?: true; set: BulkChange }

/** @throws AppError 400 that lists every fault: not exactly one selection, no change, contradictions */
export function checkBulkEdit(edit: BulkEdit): void {
  const isSelecting = edit.ids !== undefined || edit.filter !== undefined || edit.all !== undefined
  const faults: Fault[] = isSelecting ? [] : [{ path: 'ids', code: 'IDS_OR_FILTER' }]
  refuse([...faults, ...faultsOf(() => checkBulkFields(edit))])
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkBulkFields({ ids, filter, all, set }: Partial<BulkEdit>): void {
  const faults: Fault[] = []
  if (ids && filter) faults.push({ path: 'filter', code: 'IDS_OR_FILTER' })
  if (all && (ids || filter)) faults.push({ path: 'all', code: 'IDS_OR_FILTER' })
  if (filter && !isNarrowing(filter)) faults.push({ path: 'filter', code: 'FILTER_OF_ALL' })
  refuse([...faults, ...(set ? faultsOfChange(set) : [])])
}

/** Whether a filter leaves out anything: a blank search and `inStock: false` don't. */
function isNarrowing({ search = '', inStock, attributes: _, ...conditions }: Filter): boolean {
  return (
    readSearch(search).length > 0 || inStock === true || Object.values(conditions).some((value) => value !== undefined)
  )
}

function faultsOfChange({ active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds }: BulkChange) {
  const faults: Fault[] = []
  const changes = [active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds]
  if (changes.every((value) => value === undefined)) faults.push({ path: 'set', code: 'NO_CHANGE' })
  if (sitePrice !== undefined && sitePricePercent !== undefined) {
    faults.push({ path: 'set.sitePricePercent', code: 'CONTRADICTION', params: { field: 'sitePrice' } })
  }
  return faults
}
