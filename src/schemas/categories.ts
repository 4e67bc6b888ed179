import { type Static, Type } from '@sinclair/typebox'
import { Count, DisplayOrder, described, Id, Nullable, ref, Timestamp } from './common.ts'
import { Seo } from './products.ts'

const navigationProperties = {
  id: described(Id, 'Id of the category'),
  externalId: Nullable(Type.String({ description: "The supplier's id; null: made by hand" })),
  name: Type.String({ description: 'What it is called' }),
  slug: Type.String({ description: 'Its name in addresses' }),
  parentId: Nullable(described(Id, 'The category above it; null: none')),
  enabled: Type.Boolean({ description: 'Shown in navigation' }),
  visible: Type.Boolean({ description: 'Enabled, not auto-hidden, and every ancestor visible' }),
  showInHomepage: Type.Boolean({ description: "Whether it is in the homepage's block" }),
  displayOrder: DisplayOrder,
  icon: Nullable(Type.String({ description: 'Name or address of a picture' })),
  productCount: described(Count, 'Active products of the category and everything below it'),
  metaTitle: Nullable(Type.String({ description: 'Override of the title for search engines' })),
  metaDescription: Nullable(Type.String({ description: 'Override of the text for search engines' })),
  seo: ref(Seo),
}

const EXAMPLE = {
  id: 5,
  externalId: 'C105',
  name: 'Перфораторы',
  slug: 'perforatory',
  parentId: 2,
  enabled: true,
  visible: true,
  showInHomepage: false,
  displayOrder: 0,
  icon: null,
  productCount: 32,
  metaTitle: null,
  metaDescription: null,
  seo: { title: 'Перфораторы — Shop', description: 'Перфораторы. Shop' },
}

/** A category as navigation needs it: everything the public sees but the text under the listing. */
export const NavigationCategory = Type.Object(navigationProperties, {
  $id: 'NavigationCategory',
  description: 'A category as navigation needs it',
  examples: [EXAMPLE],
})
export type NavigationCategory = Static<typeof NavigationCategory>

export type CategoryNode = NavigationCategory & { children: CategoryNode[] }

export const CategoryNode = Type.Object(
  {
    ...navigationProperties,
    children: Type.Array(Type.Unsafe<CategoryNode>(Type.Ref('CategoryNode')), {
      description: 'The categories right below it, in their order',
    }),
  },
  {
    $id: 'CategoryNode',
    description: 'A category with what is below it',
    examples: [{ ...EXAMPLE, children: [] }],
  },
)

const staffProperties = {
  categoryLockedByGbstore: Type.Boolean({ description: 'Fixed by the feed mapping; sync leaves it alone' }),
  autoHiddenByVisibilitySync: Type.Boolean({ description: 'Hidden by a rule, or for want of products' }),
  hiddenReason: Nullable(Type.String({ description: 'Why it was hidden' })),
  createdAt: described(Timestamp, 'When it came into the shop'),
  updatedAt: described(Timestamp, 'When it was changed last'),
}

/** Contract section 4, "Category JSON". What is optional here only staff get. */
export const Category = Type.Object(
  {
    ...navigationProperties,
    seoTextDoc: Nullable(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Shown under the listing; any JSON object' }),
    ),
    ...Type.Partial(Type.Object(staffProperties)).properties,
  },
  {
    $id: 'Category',
    description: 'A category; what is optional only staff get',
    examples: [{ ...EXAMPLE, seoTextDoc: { blocks: [{ type: 'paragraph', text: 'Как выбрать' }] } }],
  },
)
export type Category = Static<typeof Category>
