import { checkAll, type ErrorDetail, refuse } from '../../errors.ts'
import { exactAmount } from '../money.ts'

/** Contract section 4, "Bulk edit". */
export const MAX_BULK_PRODUCTS = 10_000

type Input = {
  ids?: number[]
  filter?: object
  set: {
    active?: boolean | null
    sitePrice?: number | null
    sitePricePercent?: number
    categoryId?: number | null
    addTagIds?: number[]
    removeTagIds?: number[]
  }
}

/** The change to each product; undefined leaves a value as it is. */
export type BulkValues = {
  active?: boolean | null
  /** Decimal text: an amount, or a percentage of the product's own price. */
  sitePrice?: { amount: string | null } | { percent: string }
  categoryId?: number | null
  addTagIds: number[]
  removeTagIds: number[]
}

/** @throws AppError 400 that lists every fault: not exactly one selection, no change, contradictions, invalid amounts */
export function readBulkEdit(input: Input): BulkValues {
  const { active, categoryId, addTagIds = [], removeTagIds = [] } = input.set
  const { sitePrice } = checkAll({
    sitePrice: () => readSitePrice(input.set),
    faults: () => refuse(faultsOf(input)),
  })
  return { active, sitePrice, categoryId, addTagIds, removeTagIds }
}

function faultsOf({ ids, filter, set }: Input): ErrorDetail[] {
  const { active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds } = set
  const faults: ErrorDetail[] = []
  if (!ids === !filter) {
    faults.push({ path: ids ? 'filter' : 'ids', message: 'either ids or filter must be given' })
  }
  const changes = [active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds]
  if (changes.every((value) => value === undefined)) {
    faults.push({ path: 'set', message: 'must contain a change' })
  }
  if (sitePrice !== undefined && sitePricePercent !== undefined) {
    faults.push({ path: 'set.sitePricePercent', message: 'contradicts the given sitePrice' })
  }
  for (const [index, id] of (removeTagIds ?? []).entries()) {
    if (addTagIds?.includes(id)) faults.push({ path: `set.removeTagIds.${index}`, message: 'is also added' })
  }
  return faults
}

function readSitePrice({ sitePrice, sitePricePercent }: Input['set']): BulkValues['sitePrice'] {
  if (sitePricePercent !== undefined) {
    return { percent: exactAmount('set.sitePricePercent', sitePricePercent) }
  }
  if (sitePrice === undefined) return undefined
  return { amount: sitePrice === null ? null : exactAmount('set.sitePrice', sitePrice) }
}
