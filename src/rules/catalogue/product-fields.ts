import { checkAll, invalid } from '../../errors.ts'
import { exactAmount } from '../money.ts'
import {
  type ColumnsOf,
  type Fields,
  fieldChecks,
  type InputOf,
  readName,
  readText,
  unchanged,
} from './edited-fields.ts'

/** Stored as decimal text with two places. */
const amount = {
  read: (value: number | null, field: string) => (value === null ? null : exactAmount(field, value)),
  toJson: (decimal: string | null) => (decimal === null ? null : Number(decimal)),
}

/**
 * The fields of a product that staff edit. Types, validation, the audit log and the columns that queries select follow
 * from this list; db/queries/catalogue/products.ts ties it to the table.
 */
export const PRODUCT_FIELDS = {
  name: { column: 'name', read: readName },
  description: { column: 'description', read: (html: string | null) => (html?.trim() ? html : null) },
  price: { column: 'price', ...amount },
  sitePrice: { column: 'site_price', ...amount },
  stock: { column: 'stock', read: unchanged<number> },
  /** Null leaves the decision to the supplier. */
  active: { column: 'active_override', read: unchanged<boolean | null> },
  categoryId: { column: 'category_id', read: unchanged<number | null> },
  brandId: { column: 'brand_id', read: unchanged<number | null> },
  metaTitle: { column: 'meta_title', read: readText, clearFlag: 'clearMetaTitle' },
  metaDescription: { column: 'meta_description', read: readText, clearFlag: 'clearMetaDescription' },
} as const satisfies Fields

export type ProductField = keyof typeof PRODUCT_FIELDS
type ClearFlag = Extract<(typeof PRODUCT_FIELDS)[ProductField], { clearFlag: string }>['clearFlag']

/** Fields whose supplier values staff can override. */
export const PRODUCT_OVERRIDES = ['name', 'description', 'categoryId', 'brandId'] as const
export type ProductOverride = (typeof PRODUCT_OVERRIDES)[number]

/** An edit of a product; absent fields stay as they are. */
export type ProductInput = InputOf<typeof PRODUCT_FIELDS> & { [flag in ClearFlag]?: boolean } & {
  clearOverrides?: ProductOverride[]
}
export type ProductColumns = ColumnsOf<typeof PRODUCT_FIELDS>

export const PRODUCT_COLUMNS = Object.values(PRODUCT_FIELDS).map(({ column }) => column)

/**
 * The columns that an edit sets.
 * @throws AppError 400 that names every invalid field
 */
export function readProductInput(input: ProductInput): Partial<ProductColumns> {
  const { contradictions: _, ...columns } = checkAll({
    ...fieldChecks(PRODUCT_FIELDS, input),
    contradictions: () => refuseContradictions(input),
  })
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

function refuseContradictions(input: ProductInput): void {
  const both = [...new Set(input.clearOverrides)].filter((field) => input[field] !== undefined)
  const details = both.map((field) => ({
    path: 'clearOverrides',
    message: `contradicts the given ${field}`,
  }))
  if (details.length > 0) throw invalid(...details)
}

/** What staff look for in products that aren't complete (contract section 4, "Further filters"). */
export const PRODUCT_GAPS = ['image', 'price', 'category', 'description'] as const
export type ProductGap = (typeof PRODUCT_GAPS)[number]
