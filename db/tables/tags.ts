import type { ColumnType, Generated } from 'kysely'
import type { JsonObject } from './categories.ts'

export type TagsTable = {
  id: Generated<number>
  name: string
  slug: string
  enabled: Generated<boolean>
  meta_title: string | null
  meta_description: string | null
  seo_text_doc: ColumnType<JsonObject | null, string | null, string | null>
  /** Counts staff's edits. */
  version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type ProductTagsTable = {
  product_id: number
  tag_id: number
}
