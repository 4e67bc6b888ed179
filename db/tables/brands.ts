import type { Generated } from 'kysely'

export type BrandsTable = {
  id: Generated<number>
  external_id: string | null
  name: string
  supplier_updated_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
