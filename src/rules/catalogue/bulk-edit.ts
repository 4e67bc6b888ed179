import { faultsOf, refuse } from '../../errors.ts'
import type { Fault } from '../faults/sentences.ts'

/** Contract section 4, "Bulk edit". */
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

type BulkEdit = { ids?: number[]; filter?: object; set: BulkChange }

/** @throws AppError 400 that lists every fault: not exactly one selection, no change, contradictions */
export function checkBulkEdit(edit: BulkEdit): void {
  const isSelecting = edit.ids !== undefined || edit.filter !== undefined
  const faults: Fault[] = isSelecting ? [] : [{ path: 'ids', code: 'IDS_OR_FILTER' }]
  refuse([...faults, ...faultsOf(() => checkBulkFields(edit))])
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkBulkFields({ ids, filter, set }: Partial<BulkEdit>): void {
  const faults: Fault[] = ids && filter ? [{ path: 'filter', code: 'IDS_OR_FILTER' }] : []
  refuse([...faults, ...(set ? faultsOfChange(set) : [])])
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
