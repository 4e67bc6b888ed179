import { type ErrorDetail, faultsOf, refuse } from '../../errors.ts'

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

const EITHER = 'either ids or filter must be given'

/** @throws AppError 400 that lists every fault: not exactly one selection, no change, contradictions */
export function checkBulkEdit(edit: BulkEdit): void {
  const isSelecting = edit.ids !== undefined || edit.filter !== undefined
  refuse([...(isSelecting ? [] : [{ path: 'ids', message: EITHER }]), ...faultsOf(() => checkBulkFields(edit))])
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkBulkFields({ ids, filter, set }: Partial<BulkEdit>): void {
  refuse([...(ids && filter ? [{ path: 'filter', message: EITHER }] : []), ...(set ? faultsOfChange(set) : [])])
}

function faultsOfChange({ active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds }: BulkChange) {
  const details: ErrorDetail[] = []
  const changes = [active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds]
  if (changes.every((value) => value === undefined)) details.push({ path: 'set', message: 'must contain a change' })
  if (sitePrice !== undefined && sitePricePercent !== undefined) {
    details.push({ path: 'set.sitePricePercent', message: 'contradicts the given sitePrice' })
  }
  return details
}
