import type { Generated } from 'kysely'
import type { Edited, Json } from './columns.ts'

export type TagsTable = Edited & {
  name: string
  slug: string
  enabled: Generated<boolean>
  meta_title: string | null
  meta_description: string | null
  seo_text_doc: Json
}

export type ProductTagsTable = {
  product_id: number
  tag_id: number
}
