import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.ts'
import { Seo } from './products.ts'

const navigationProperties = {
  id: Type.Integer(),
  externalId: Nullable(Type.String({ description: "The supplier's; null: made by hand" })),
  name: Type.String(),
  slug: Type.String(),
  parentId: Nullable(Type.Integer()),
  enabled: Type.Boolean({ description: 'Shown in navigation' }),
  visible: Type.Boolean({ description: 'Enabled, not auto-hidden, and every ancestor visible' }),
  showInHomepage: Type.Boolean(),
  displayOrder: Type.Integer(),
  icon: Nullable(Type.String()),
  productCount: Type.Integer({ description: 'Active products of the category and everything below it' }),
  metaTitle: Nullable(Type.String()),
  metaDescription: Nullable(Type.String()),
  seo: Seo,
}

/** A category as navigation needs it: everything the public sees but the text under the listing. */
export const NavigationCategory = Type.Object(navigationProperties, { $id: 'NavigationCategory' })
export type NavigationCategory = Static<typeof NavigationCategory>

export type CategoryNode = NavigationCategory & { children: CategoryNode[] }

export const CategoryNode = Type.Object(
  { ...navigationProperties, children: Type.Array(Type.Unsafe<CategoryNode>(Type.Ref('CategoryNode'))) },
  { $id: 'CategoryNode' },
)

const staffProperties = {
  categoryLockedByGbstore: Type.Boolean({ description: 'Fixed by the feed mapping; sync leaves it alone' }),
  autoHiddenByVisibilitySync: Type.Boolean(),
  hiddenReason: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

/** Contract section 4, "Category JSON". What is optional here only staff get. */
export const Category = Type.Object(
  {
    ...navigationProperties,
    seoTextDoc: Nullable(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Shown under the listing' }),
    ),
    ...Type.Partial(Type.Object(staffProperties)).properties,
  },
  { $id: 'Category' },
)
export type Category = Static<typeof Category>
