import { checkAll, type ErrorDetail, invalid } from '../../errors.ts'
import { exactAmount } from '../money.ts'
import { oneLine } from '../text.ts'

/** Fields of the wire that staff can take over from the supplier. */
export const PRODUCT_OVERRIDES = ['name', 'description', 'categoryId', 'brandId'] as const
export type ProductOverride = (typeof PRODUCT_OVERRIDES)[number]

/** What staff say of a product; what is undefined stays as it is. */
export type ProductInput = {
  name?: string
  description?: string | null
  price?: number | null
  sitePrice?: number | null
  stock?: number
  /** Null: the supplier's word counts again. */
  active?: boolean | null
  categoryId?: number | null
  brandId?: number | null
  metaTitle?: string | null
  metaDescription?: string | null
  clearMetaTitle?: boolean
  clearMetaDescription?: boolean
  /** What the supplier shall decide again. */
  clearOverrides?: ProductOverride[]
}

/** The columns of a product that staff edit; amounts are decimal text with two places. */
export type ProductFields = {
  name: string
  description: string | null
  price: string | null
  site_price: string | null
  stock: number
  active_override: boolean | null
  category_id: number | null
  brand_id: number | null
  meta_title: string | null
  meta_description: string | null
  overrides: ProductOverride[]
  /** The supplier's words for what is overridden. */
  supplier_name: string | null
  supplier_description: string | null
}

/** A product as it is, with the category and brand that the supplier gives it. */
export type PresentProduct = ProductFields & {
  external_id: string | null
  active: boolean
  supplierCategoryId: number | null
  supplierBrandId: number | null
}

/** Of the columns of the wire's fields, those that staff can take over. */
const COLUMNS = {
  name: 'name',
  description: 'description',
  categoryId: 'category_id',
  brandId: 'brand_id',
} as const satisfies Record<ProductOverride, keyof ProductFields>

/** The columns that the input wants, in the form in which they are kept. */
type WantedFields = Partial<Omit<ProductFields, 'overrides' | 'supplier_name' | 'supplier_description'>>

/**
 * What the input wants of the columns.
 * @throws AppError 400 that names every fault
 */
export function wantedFields(input: ProductInput): WantedFields {
  const { price, sitePrice, metaTitle, metaDescription, clearMetaTitle, clearMetaDescription } = input
  const checked = checkAll({
    name: () => (input.name === undefined ? undefined : readName(input.name)),
    price: () => readAmount('price', price),
    site_price: () => readAmount('sitePrice', sitePrice),
    meta_title: () => readMeta('metaTitle', metaTitle, 'clearMetaTitle', clearMetaTitle),
    meta_description: () =>
      readMeta('metaDescription', metaDescription, 'clearMetaDescription', clearMetaDescription),
    clearOverrides: () => refuseBoth(input),
  })
  const { clearOverrides: _, ...fields } = checked
  const { description } = input
  const wanted: { [K in keyof WantedFields]: WantedFields[K] | undefined } = {
    ...fields,
    description: description === undefined ? undefined : description?.trim() ? description : null,
    stock: input.stock,
    active_override: input.active,
    category_id: input.categoryId,
    brand_id: input.brandId,
  }
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}

/** A product's name on one line. @throws AppError 400 when nothing of it can be seen */
function readName(text: string): string {
  const name = oneLine(text).normalize()
  if (name === '') throw invalid({ path: 'name', message: 'must not be empty' })
  return name
}

/**
 * Price and stock of a supplier's product are his; the figures that it has already are no change.
 * @throws AppError 400 that names each
 */
export function refuseSupplierFigures(present: PresentProduct, { price, stock }: ProductInput): void {
  if (present.external_id === null) return
  const ours = { price: present.price === null ? null : Number(present.price), stock: present.stock }
  const details: ErrorDetail[] = []
  if (price !== undefined && price !== ours.price) {
    details.push({ path: 'price', message: "is the supplier's; set sitePrice" })
  }
  if (stock !== undefined && stock !== ours.stock) {
    details.push({ path: 'stock', message: "is the supplier's" })
  }
  if (details.length > 0) throw invalid(...details)
}

/**
 * The columns that really change. What staff change of a supplier's product becomes theirs, with the supplier's word
 * kept beside; what they give back is his again at once (contract section 4).
 */
export function changedFields(
  present: PresentProduct,
  wanted: WantedFields,
  clearOverrides: readonly ProductOverride[],
): Partial<ProductFields> {
  const changes = differing(present, { ...givenBack(present, clearOverrides), ...wanted })
  if (present.external_id === null) return changes
  const taken = PRODUCT_OVERRIDES.filter((field) => wanted[COLUMNS[field]] !== undefined)
    .filter((field) => COLUMNS[field] in changes)
    .filter((field) => !present.overrides.includes(field))
  const overrides = PRODUCT_OVERRIDES.filter(
    (field) =>
      taken.includes(field) || (present.overrides.includes(field) && !clearOverrides.includes(field)),
  )
  return {
    ...changes,
    ...(overrides.length !== present.overrides.length || taken.length > 0 ? { overrides } : {}),
    ...(taken.includes('name') ? { supplier_name: present.name } : {}),
    ...(taken.includes('description') ? { supplier_description: present.description } : {}),
  }
}

/** A name that the supplier never said, of a product that he hasn't listed yet, stays until he does. */
function givenBack(present: PresentProduct, fields: readonly ProductOverride[]): Partial<ProductFields> {
  const cleared = (field: ProductOverride) => fields.includes(field) && present.overrides.includes(field)
  return {
    ...(cleared('name') && { name: present.supplier_name ?? present.name, supplier_name: null }),
    ...(cleared('description') && {
      description: present.supplier_description,
      supplier_description: null,
    }),
    ...(cleared('categoryId') && { category_id: present.supplierCategoryId }),
    ...(cleared('brandId') && { brand_id: present.supplierBrandId }),
  }
}

function differing(present: ProductFields, wanted: Partial<ProductFields>): Partial<ProductFields> {
  const now = new Map<string, unknown>(Object.entries(present))
  return Object.fromEntries(Object.entries(wanted).filter(([column, value]) => value !== now.get(column)))
}

function readAmount(path: string, amount: number | null | undefined): string | null | undefined {
  return typeof amount === 'number' ? exactAmount(path, amount) : amount
}

/** Empty means clear, and so does the flag; both a text and the flag are a contradiction. */
function readMeta(
  path: string,
  text: string | null | undefined,
  flag: string,
  clear = false,
): string | null | undefined {
  const value = text === undefined ? undefined : text?.trim() || null
  if (!clear) return value
  if (value) throw invalid({ path: flag, message: `contradicts the ${path} that is given` })
  return null
}

function refuseBoth(input: ProductInput): void {
  const both = (input.clearOverrides ?? []).filter((field) => input[field] !== undefined)
  const details = [...new Set(both)].map((field) => ({
    path: 'clearOverrides',
    message: `names ${field}, which is given`,
  }))
  if (details.length > 0) throw invalid(...details)
}
