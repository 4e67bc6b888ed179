import { refuse } from '../../errors.ts'
import type { Fault } from '../faults/sentences.ts'
import { MAX_INT } from '../lists.ts'
import { toAmount } from '../money.ts'

/** Fields whose supplier values staff can override. */
export const PRODUCT_OVERRIDES = ['name', 'description', 'categoryId', 'brandId'] as const
export type ProductOverride = (typeof PRODUCT_OVERRIDES)[number]

const COLUMN_OF = { name: 'name', description: 'description', categoryId: 'category_id', brandId: 'brand_id' } as const

type CurrentProduct = {
  external_id: string | null
  name: string
  description: string | null
  price: string | null
  stock: number
  category_id: number | null
  brand_id: number | null
  overrides: ProductOverride[]
  /** Null: not known before the next sync. */
  supplier_name: string | null
  supplier_description: string | null
  supplier_category_id: number | null
  supplier_brand_id: number | null
}

type Figures = { price?: number | null; stock?: number }

/** Refuses another price or stock of a supplier's product. @throws AppError 400 that lists each */
export function refuseSupplierFigures(current: CurrentProduct, { price, stock }: Figures): void {
  if (current.external_id === null) return
  const faults: Fault[] = []
  if (price !== undefined && price !== toAmount(current.price)) {
    faults.push({ path: 'price', code: 'PRICE_OF_SUPPLIER' })
  }
  if (stock !== undefined && stock !== current.stock) {
    faults.push({ path: 'stock', code: 'VALUE_OF_SUPPLIER' })
  }
  refuse(faults)
}

/**
 * The columns that an edit writes. A changed field of a supplier's product becomes an override, beside which the supplier's value
 * is kept; a cleared one takes it back, whatever else the edit sends for it.
 * @param wanted the columns that the edit sets; undefined ones stay
 */
export function columnsToWrite(current: CurrentProduct, wanted: object, cleared: readonly ProductOverride[]) {
  const set = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  if (current.external_id === null) return set
  const supplied = suppliedColumns(current)
  for (const field of cleared) set[COLUMN_OF[field]] = supplied[COLUMN_OF[field]]
  if (cleared.includes('name')) set.name = supplied.name ?? current.name
  const differs = (column: string) => column in set && set[column] !== Reflect.get(current, column)
  const isOverride = (field: ProductOverride) => current.overrides.includes(field) || differs(COLUMN_OF[field])
  const overrides = PRODUCT_OVERRIDES.filter((field) => isOverride(field) && !cleared.includes(field))
  return {
    ...set,
    overrides,
    supplier_name: overrides.includes('name') ? supplied.name : null,
    supplier_description: overrides.includes('description') ? supplied.description : null,
  }
}

/** What the supplier says of each field. `name`: null if it isn't known before the next sync. */
function suppliedColumns(row: CurrentProduct) {
  const isOverridden = (field: ProductOverride) => row.overrides.includes(field)
  return {
    name: isOverridden('name') ? row.supplier_name : row.name,
    description: isOverridden('description') ? row.supplier_description : row.description,
    category_id: isOverridden('categoryId') ? row.supplier_category_id : row.category_id,
    brand_id: isOverridden('brandId') ? row.supplier_brand_id : row.brand_id,
  }
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
