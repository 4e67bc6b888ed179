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
  overrides: ProductOverride[]
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
 * The columns that an edit writes. A changed field of a supplier's product becomes an override; a cleared one is written by the
 * sync again.
 * @param wanted the columns that the edit sets; undefined ones stay
 */
export function columnsToWrite(current: CurrentProduct, wanted: object, cleared: readonly ProductOverride[]) {
  const set = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  const differs = (column: string) => column in set && set[column] !== Reflect.get(current, column)
  const isOverride = (field: ProductOverride) => current.overrides.includes(field) || differs(COLUMN_OF[field])
  const overrides = PRODUCT_OVERRIDES.filter((field) => isOverride(field) && !cleared.includes(field))
  return current.external_id === null ? set : { ...set, overrides }
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
