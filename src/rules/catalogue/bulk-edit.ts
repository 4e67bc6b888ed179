import { checkAll, invalid } from '../../errors.ts'
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
export function readBulkEdit({ ids, filter, set }: Input): BulkValues {
  const { active, sitePrice, sitePricePercent, categoryId, addTagIds = [], removeTagIds = [] } = set
  const values = [active, sitePrice, sitePricePercent, categoryId, set.addTagIds, set.removeTagIds]
  const faults: [boolean, string, string][] = [
    [!ids && !filter, 'ids', 'either ids or filter must be given'],
    [!!ids && !!filter, 'filter', 'either ids or filter must be given'],
    [values.every((value) => value === undefined), 'set', 'must contain a change'],
    [
      sitePrice !== undefined && sitePricePercent !== undefined,
      'set.sitePricePercent',
      'contradicts the given sitePrice',
    ],
    ...removeTagIds.map((id, index): [boolean, string, string] => [
      addTagIds.includes(id),
      `set.removeTagIds.${index}`,
      'is also added',
    ]),
  ]
  const details = faults.flatMap(([isFault, path, message]) => (isFault ? [{ path, message }] : []))
  const { price } = checkAll({
    price: () => readSitePrice(set),
    contradictions: () => {
      if (details.length > 0) throw invalid(...details)
    },
  })
  return { active, sitePrice: price, categoryId, addTagIds, removeTagIds }
}

function readSitePrice({ sitePrice, sitePricePercent }: Input['set']): BulkValues['sitePrice'] {
  if (sitePricePercent !== undefined) {
    return { percent: exactAmount('set.sitePricePercent', sitePricePercent) }
  }
  if (sitePrice === undefined) return undefined
  return { amount: sitePrice === null ? null : exactAmount('set.sitePrice', sitePrice) }
}
