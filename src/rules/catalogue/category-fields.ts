import { type Fields, readName, readText, unchanged } from './edited-fields.ts'
import { readSeoText } from './seo-text.ts'

/** The fields of a category that staff edit besides its place; services/catalogue/category-writes.ts ties them to the table. */
export const CATEGORY_FIELDS = {
  name: { column: 'name', read: readName },
  enabled: { column: 'enabled', read: unchanged<boolean> },
  showInHomepage: { column: 'show_in_homepage', read: unchanged<boolean> },
  displayOrder: { column: 'display_order', read: unchanged<number> },
  icon: { column: 'icon', read: readText },
  hiddenReason: { column: 'hidden_reason', read: readText },
  metaTitle: { column: 'meta_title', read: readText },
  metaDescription: { column: 'meta_description', read: readText },
  seoTextDoc: { column: 'seo_text_doc', read: readSeoText },
} as const satisfies Fields
