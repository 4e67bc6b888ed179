import { checkAll, type ErrorDetail, refuse } from '../../errors.ts'
import { MAX_INT } from '../lists.ts'
import { exactDecimal, toAmount } from '../money.ts'
import { optionalText, readName } from '../text.ts'

type Field = {
  column: string
  /** Checks a value and returns what the column stores. @throws AppError 400 */
  read(value: unknown, field: string): unknown
  /** Converts the stored value to JSON, if they differ. */
  toJson?(stored: unknown): unknown
}

function unchanged<T>(value: T): T {
  return value
}

/** Stored as decimal text with two places. */
const amount = {
  read: (value: number | null) => (value === null ? null : exactDecimal(value)),
  toJson: toAmount,
}

/**
 * The fields of a product that staff edit. Types, validation, the audit log and the columns that queries select follow
 * from this list; db/queries/catalogue/products.ts ties it to the table.
 */
const PRODUCT_FIELDS = {
  name: { column: 'name', read: readName },
  description: { column: 'description', read: (html: string | null) => (html?.trim() ? html : null) },
  price: { column: 'price', ...amount },
  sitePrice: { column: 'site_price', ...amount },
  stock: { column: 'stock', read: unchanged<number> },
  /** Null leaves the decision to the supplier. */
  active: { column: 'active_override', read: unchanged<boolean | null> },
  categoryId: { column: 'category_id', read: unchanged<number | null> },
  brandId: { column: 'brand_id', read: unchanged<number | null> },
  metaTitle: { column: 'meta_title', read: optionalText },
  metaDescription: { column: 'meta_description', read: optionalText },
} as const satisfies { [field: string]: Field }

type Fields = typeof PRODUCT_FIELDS
export type ProductField = keyof Fields

/** Fields whose supplier values staff can override. */
export const PRODUCT_OVERRIDES = ['name', 'description', 'categoryId', 'brandId'] as const
export type ProductOverride = (typeof PRODUCT_OVERRIDES)[number]

/** An edit of a product; absent fields stay as they are. */
export type ProductInput = { [N in ProductField]?: Parameters<Fields[N]['read']>[0] } & {
  clearMetaTitle?: boolean
  clearMetaDescription?: boolean
  clearOverrides?: ProductOverride[]
}
/** The stored form of the edited fields. */
export type ProductColumns = { [N in ProductField as Fields[N]['column']]: ReturnType<Fields[N]['read']> }

export const PRODUCT_COLUMNS = Object.values(PRODUCT_FIELDS).map(({ column }) => column)

/** The columns that an edit sets. @throws AppError 400 that names every invalid field */
export function readProductInput(input: ProductInput): Partial<ProductColumns> {
  const given = new Map<string, unknown>(Object.entries(input))
  const fields: [string, Field][] = Object.entries(PRODUCT_FIELDS)
  const checks = fields
    .filter(([name]) => given.get(name) !== undefined)
    .map(([name, { column, read }]) => [column, () => read(given.get(name), name)])
  const { contradictions: _, ...columns } = checkAll({
    ...Object.fromEntries(checks),
    contradictions: () => refuseContradictions(input),
  })
  return {
    ...columns,
    ...(input.clearMetaTitle && { meta_title: null }),
    ...(input.clearMetaDescription && { meta_description: null }),
  }
}

/** The fields as the audit log shows them. */
export function auditedFields(row: object): { [field: string]: unknown } {
  const stored = new Map<string, unknown>(Object.entries(row))
  const fields: [string, Field][] = Object.entries(PRODUCT_FIELDS)
  return Object.fromEntries(fields.map(([name, { column, toJson = unchanged }]) => [name, toJson(stored.get(column))]))
}

function refuseContradictions(input: ProductInput): void {
  const details: ErrorDetail[] = []
  if (input.clearMetaTitle && optionalText(input.metaTitle)) {
    details.push({ path: 'clearMetaTitle', message: 'contradicts the given metaTitle' })
  }
  if (input.clearMetaDescription && optionalText(input.metaDescription)) {
    details.push({ path: 'clearMetaDescription', message: 'contradicts the given metaDescription' })
  }
  for (const field of input.clearOverrides ?? []) {
    if (input[field] !== undefined) {
      details.push({ path: 'clearOverrides', message: `contradicts the given ${field}` })
    }
  }
  refuse(details)
}

/** The columns that an edit of a supplier's product writes beside the edited fields. */
type OverrideColumns = {
  overrides: ProductOverride[]
  /** The supplier's values of overridden fields. */
  supplier_name: string | null
  supplier_description: string | null
}
export type ProductChanges = Partial<ProductColumns & OverrideColumns>

export type CurrentProduct = ProductColumns &
  OverrideColumns & {
    external_id: string | null
    /** Read only where the edit clears the override. */
    supplierCategoryId: number | null
    supplierBrandId: number | null
  }

/** Refuses another price or stock of a supplier's product. @throws AppError 400 that lists each */
export function refuseSupplierFigures(current: CurrentProduct, { price, stock }: ProductInput): void {
  if (current.external_id === null) return
  const details: ErrorDetail[] = []
  if (price !== undefined && price !== toAmount(current.price)) {
    details.push({ path: 'price', message: "is the supplier's; set sitePrice" })
  }
  if (stock !== undefined && stock !== current.stock) {
    details.push({ path: 'stock', message: "is the supplier's" })
  }
  refuse(details)
}

/**
 * The columns that an edit actually changes. A changed field of a supplier's product becomes an override, with the
 * supplier's value stored beside it; a cleared override returns to that value at once (contract section 4).
 */
export function changedColumns(
  current: CurrentProduct,
  wanted: Partial<ProductColumns>,
  clearOverrides: readonly ProductOverride[],
): ProductChanges {
  const changes = differences(current, { ...supplierValues(current, clearOverrides), ...wanted })
  if (current.external_id === null) return changes
  const isOverridden = (field: ProductOverride) => current.overrides.includes(field)
  const added = PRODUCT_OVERRIDES.filter((field) => {
    const { column } = PRODUCT_FIELDS[field]
    return wanted[column] !== undefined && column in changes && !isOverridden(field)
  })
  const overrides = PRODUCT_OVERRIDES.filter(
    (field) => added.includes(field) || (isOverridden(field) && !clearOverrides.includes(field)),
  )
  return {
    ...changes,
    ...((added.length > 0 || overrides.length !== current.overrides.length) && { overrides }),
    ...(added.includes('name') && { supplier_name: current.name }),
    ...(added.includes('description') && { supplier_description: current.description }),
  }
}

/** Staff's name stays while the supplier hasn't listed the product yet. */
function supplierValues(current: CurrentProduct, cleared: readonly ProductOverride[]): ProductChanges {
  const resets = (field: ProductOverride) => cleared.includes(field) && current.overrides.includes(field)
  return {
    ...(resets('name') && { name: current.supplier_name ?? current.name, supplier_name: null }),
    ...(resets('description') && { description: current.supplier_description, supplier_description: null }),
    ...(resets('categoryId') && { category_id: current.supplierCategoryId }),
    ...(resets('brandId') && { brand_id: current.supplierBrandId }),
  }
}

function differences(current: CurrentProduct, wanted: ProductChanges): ProductChanges {
  const columns = new Map<string, unknown>(Object.entries(current))
  return Object.fromEntries(Object.entries(wanted).filter(([column, value]) => value !== columns.get(column)))
}

export type ImageLink = { id: number; displayOrder: number }

/**
 * Places an image among a product's, given in display order; by default last. Later images move back as far as necessary, so
 * that no two have the same display order; if there is no room, all are renumbered.
 */
export function placeImage(images: ImageLink[], id: number, displayOrder?: number): ImageLink[] {
  const others = images.filter((image) => image.id !== id)
  const last = images.at(-1)
  // An image that is already last keeps its order.
  const afterLast = last === undefined ? 0 : last.displayOrder + Number(last.id !== id)
  const image = { id, displayOrder: displayOrder ?? afterLast }
  const before = others.filter((other) => other.displayOrder < image.displayOrder)
  const placed: ImageLink[] = []
  for (const next of [...before, image, ...others.slice(before.length)]) {
    const least = (placed.at(-1)?.displayOrder ?? next.displayOrder - 1) + 1
    placed.push({ id: next.id, displayOrder: Math.max(next.displayOrder, least) })
  }
  const hasRoom = (placed.at(-1)?.displayOrder ?? 0) <= MAX_INT
  return hasRoom ? placed : placed.map((image, index) => ({ ...image, displayOrder: index }))
}
