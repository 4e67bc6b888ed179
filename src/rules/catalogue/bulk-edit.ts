import { checkAll, type ErrorDetail, invalid } from '../../errors.ts'
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

/** The change of each product; undefined values stay as they are. */
export type BulkValues = {
  active?: boolean | null
  /** Decimal text: an amount, or a percentage of the product's own price. */
  sitePrice?: { amount: string | null } | { percent: string }
  categoryId?: number | null
  addTagIds: number[]
  removeTagIds: number[]
}

/** @throws AppError 400 that names every fault: no or two selections, no change, contradictions, invalid amounts */
export function readBulkEdit({ ids, filter, set }: Input): BulkValues {
  const { addTagIds = [], removeTagIds = [] } = set
  const { sitePrice } = checkAll({
    sitePrice: () => readSitePrice(set),
    contradictions: () => {
      const found = [
        ...selectionFaults(ids, filter),
        ...changeFaults(set),
        ...tagFaults(addTagIds, removeTagIds),
      ]
      if (found.length > 0) throw invalid(...found)
    },
  })
  const { active, categoryId } = set
  return { active, sitePrice, categoryId, addTagIds, removeTagIds }
}

function readSitePrice({ sitePrice, sitePricePercent }: Input['set']): BulkValues['sitePrice'] {
  if (sitePricePercent !== undefined) {
    return { percent: exactAmount('set.sitePricePercent', sitePricePercent) }
  }
  if (sitePrice === undefined || sitePrice === null) return sitePrice === null ? { amount: null } : undefined
  return { amount: exactAmount('set.sitePrice', sitePrice) }
}

function selectionFaults(ids: Input['ids'], filter: Input['filter']): ErrorDetail[] {
  if ((ids === undefined) !== (filter === undefined)) return []
  return [{ path: ids === undefined ? 'ids' : 'filter', message: 'either ids or filter must be given' }]
}

function changeFaults(set: Input['set']): ErrorDetail[] {
  const { active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds } = set
  const given = [active, sitePrice, sitePricePercent, categoryId, addTagIds, removeTagIds]
  if (given.every((value) => value === undefined)) return [{ path: 'set', message: 'must contain a change' }]
  const both = sitePrice !== undefined && sitePricePercent !== undefined
  return both ? [{ path: 'set.sitePricePercent', message: 'contradicts the given sitePrice' }] : []
}

function tagFaults(added: number[], removed: number[]): ErrorDetail[] {
  return removed.flatMap((id, index) =>
    added.includes(id) ? [{ path: `set.removeTagIds.${index}`, message: 'is also added' }] : [],
  )
}
