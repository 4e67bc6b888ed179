import type { Generated, Selectable } from 'kysely'

export type BrandsTable = {
  id: Generated<number>
  external_id: string | null
  name: string
  /** Null: added by a version without slugs, until the next sync. */
  slug: string | null
  description: string | null
  image_id: number | null
  /** The supplier's name where staff set another; null: `name` is the supplier's. */
  supplier_name: string | null
  supplier_updated_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type BrandRow = Selectable<BrandsTable>
