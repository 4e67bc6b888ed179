import { type ErrorDetail, invalid } from '../../errors.ts'
import {
  PRODUCT_FIELDS,
  PRODUCT_OVERRIDES,
  type ProductColumns,
  type ProductInput,
  type ProductOverride,
} from './product-fields.ts'

/** The columns that an edit of a supplier's product writes besides the edited fields. */
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

/**
 * Price and stock of a supplier's product are the supplier's; sending the current figures changes nothing.
 * @throws AppError 400 that names each
 */
export function refuseSupplierFigures(current: CurrentProduct, { price, stock }: ProductInput): void {
  if (current.external_id === null) return
  const currentPrice = current.price === null ? null : Number(current.price)
  const details: ErrorDetail[] = []
  if (price !== undefined && price !== currentPrice) {
    details.push({ path: 'price', message: "is the supplier's; set sitePrice" })
  }
  if (stock !== undefined && stock !== current.stock) {
    details.push({ path: 'stock', message: "is the supplier's" })
  }
  if (details.length > 0) throw invalid(...details)
}

/**
 * The columns that an edit really changes. A changed field of a supplier's product becomes an override, with the
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
