import { type Static, Type } from '@sinclair/typebox'
import { Count, DisplayOrder, described, Edited, Id, Nullable, optionalText, ref, Word } from './common.ts'
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

const SeoText = Nullable(
  Type.Record(Type.String(), Type.Unknown(), { description: 'Shown under the listing; any JSON object' }),
)

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
  ...Edited.properties,
}

/** Contract section 4, "Category JSON". What is optional here only staff get. */
export const Category = Type.Object(
  {
    ...navigationProperties,
    seoTextDoc: SeoText,
    ...Type.Partial(Type.Object(staffProperties)).properties,
  },
  {
    $id: 'Category',
    description: 'A category; what is optional only staff get',
    examples: [{ ...EXAMPLE, seoTextDoc: { blocks: [{ type: 'paragraph', text: 'Как выбрать' }] } }],
  },
)
export type Category = Static<typeof Category>

const Locked = Type.Boolean({
  description:
    'Whether the sync leaves it alone; true when staff give one of the supplier’s another name or parent',
})
const Parent = Nullable(described(Id, 'The category above it; null: none'))

/** What staff decide of a category. */
export const CategoryInput = Type.Object(
  {
    name: Word(1000, 'What it is called'),
    parentId: Type.Optional(Parent),
    enabled: Type.Optional(Type.Boolean({ description: 'Shown in navigation' })),
    showInHomepage: Type.Optional(Type.Boolean({ description: "Whether it is in the homepage's block" })),
    displayOrder: Type.Optional(DisplayOrder),
    icon: optionalText(2000, 'Name or address of a picture'),
    hiddenReason: optionalText(1000, 'Why it was hidden'),
    metaTitle: optionalText(1000, 'Override of the title for search engines'),
    metaDescription: optionalText(5000, 'Override of the text for search engines'),
    seoTextDoc: Type.Optional({ ...SeoText, description: 'Any JSON object up to 64 KB; null: none' }),
    categoryLockedByGbstore: Type.Optional(Locked),
  },
  {
    $id: 'CategoryInput',
    description: 'A category as it shall be; what is absent stays',
    examples: [{ name: 'Перфораторы', parentId: 2, enabled: true, metaTitle: 'Перфораторы с доставкой' }],
  },
)
export type CategoryInput = Static<typeof CategoryInput>

export const CategoryMove = Type.Object(
  {
    parentId: Parent,
    position: described(Count, 'Place among what stands there, from 0; beyond the end is the end'),
    categoryLockedByGbstore: Type.Optional(Locked),
  },
  {
    $id: 'CategoryMove',
    description: 'Where a category shall stand',
    examples: [{ parentId: 2, position: 0 }],
  },
)
export type CategoryMove = Static<typeof CategoryMove>

export const CategoryOrder = Type.Object(
  {
    parentId: Parent,
    ids: Type.Array(Id, {
      maxItems: 20_000,
      uniqueItems: true,
      description:
        'All categories right below the parent, hidden ones too, in the order in which they shall stand',
    }),
  },
  {
    $id: 'CategoryOrder',
    description: 'The order of what stands below a parent, or at the top',
    examples: [{ parentId: 2, ids: [5, 4, 9] }],
  },
)
export type CategoryOrder = Static<typeof CategoryOrder>

export const CategorySlug = Type.Object(
  {
    slug: Type.String({
      maxLength: 1000,
      description: '1 to 120 of a-z, 0-9 and single dashes between them',
    }),
  },
  {
    $id: 'CategorySlug',
    description: 'The slug that a category shall have',
    examples: [{ slug: 'perforatory-i-otboynye-molotki' }],
  },
)

export const UnusedCategories = Type.Object(
  {
    categories: Type.Array(
      Type.Object({
        id: described(Id, 'Id of the category'),
        name: Type.String({ description: 'What it is called' }),
        path: Type.String({ description: 'The names from the top to it, with ` / ` between them' }),
        parentId: Parent,
        visible: Type.Boolean({ description: 'Whether it was visible' }),
      }),
      { description: 'In tree order' },
    ),
    count: described(Count, 'How many those are'),
  },
  {
    $id: 'UnusedCategories',
    description: 'Categories that are switched on and hold no active product in their whole subtree',
    examples: [
      {
        categories: [{ id: 31, name: 'Архив', path: 'Инструмент / Архив', parentId: 2, visible: true }],
        count: 1,
      },
    ],
  },
)
export type UnusedCategories = Static<typeof UnusedCategories>
