import { checkAll, invalid } from '../../errors.ts'
import { exactAmount } from '../money.ts'
import { oneLine } from '../text.ts'

type Field = {
  column: string
  /** Checks a value and returns what the column stores. @throws AppError 400 */
  read(value: unknown, field: string): unknown
  /** Turns the stored value back into JSON where they differ. */
  toJson?(stored: unknown): unknown
  /** The flag of a PATCH that empties the field. */
  clearFlag?: string
}

const amount = {
  read: (value: number | null, field: string) => (value === null ? null : exactAmount(field, value)),
  toJson: (decimal: string | null) => (decimal === null ? null : Number(decimal)),
}

/**
 * The fields of a product that staff edit, by their names in JSON. Types, validation, the audit log and the columns
 * that queries select follow from this list; db/queries/catalogue/products.ts ties it to the table.
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
} as const satisfies { [field: string]: Field }

/** Fields whose supplier values staff can override. */
export const PRODUCT_OVERRIDES = ['name', 'description', 'categoryId', 'brandId'] as const
export type ProductOverride = (typeof PRODUCT_OVERRIDES)[number]

type Fields = typeof PRODUCT_FIELDS
export type ProductField = keyof Fields
type ClearFlag = Extract<Fields[ProductField], { clearFlag: string }>['clearFlag']

/** An edit of a product; absent fields stay as they are. */
export type ProductInput = { [F in ProductField]?: Parameters<Fields[F]['read']>[0] } & {
  [flag in ClearFlag]?: boolean
} & { clearOverrides?: ProductOverride[] }

/** The stored form of the edited fields; amounts are decimal text with two places. */
export type ProductColumns = { [F in ProductField as Fields[F]['column']]: ReturnType<Fields[F]['read']> }

export const PRODUCT_COLUMNS = Object.values(PRODUCT_FIELDS).map(({ column }) => column)

const FIELDS: [string, Field][] = Object.entries(PRODUCT_FIELDS)

/**
 * The columns that an edit sets.
 * @throws AppError 400 that names every invalid field
 */
export function readProductInput(input: ProductInput): Partial<ProductColumns> {
  const given = new Map<string, unknown>(Object.entries(input))
  const checks = FIELDS.map(([name, field]) => [field.column, () => readField(name, field, given)])
  const { contradictions: _, ...columns } = checkAll({
    ...Object.fromEntries(checks),
    contradictions: () => refuseContradictions(input),
  })
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

/** The edited fields as the audit log shows them. */
export function auditedProductFields(columns: ProductColumns): { [field: string]: unknown } {
  const stored = new Map<string, unknown>(Object.entries(columns))
  return Object.fromEntries(
    FIELDS.map(([name, { column, toJson = unchanged }]) => [name, toJson(stored.get(column))]),
  )
}

function readField(name: string, { read, clearFlag = '' }: Field, given: Map<string, unknown>): unknown {
  const value = given.get(name)
  const stored = value === undefined ? undefined : read(value, name)
  if (!given.get(clearFlag)) return stored
  if (stored) throw invalid({ path: clearFlag, message: `contradicts the given ${name}` })
  return null
}

function refuseContradictions(input: ProductInput): void {
  const both = new Set(input.clearOverrides).values().filter((field) => input[field] !== undefined)
  const details = [...both].map((field) => ({
    path: 'clearOverrides',
    message: `contradicts the given ${field}`,
  }))
  if (details.length > 0) throw invalid(...details)
}

function unchanged<T>(value: T): T {
  return value
}

function readName(text: string, field: string): string {
  const name = oneLine(text).normalize()
  if (name === '') throw invalid({ path: field, message: 'must not be empty' })
  return name
}

function readText(text: string | null): string | null {
  return text?.trim() || null
}
