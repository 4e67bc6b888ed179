import { type Static, Type } from '@sinclair/typebox'
import { Count, DisplayOrder, described, Edited, Id, Nullable, optionalText, ref, Word } from './common.ts'
import { Seo } from './products.ts'

/** Texts that only staff write, the same in a category and in an edit of it. */
const staffTexts = {
  icon: Nullable(Type.String({ maxLength: 2000, description: 'Name or address of a picture' })),
  metaTitle: Nullable(Type.String({ maxLength: 1000, description: 'Overrides the title template' })),
  metaDescription: Nullable(
    Type.String({ maxLength: 5000, description: 'Overrides the description template' }),
  ),
}

const ParentId = Nullable(described(Id, 'Null: at the top'))
const Enabled = Type.Boolean({ description: 'Whether navigation shows it' })
const ShowInHomepage = Type.Boolean({ description: 'Whether the homepage block shows it' })

const navigationProperties = {
  id: described(Id, 'Id of the category'),
  externalId: Nullable(Type.String({ description: "The supplier's id; null: created by staff" })),
  name: Type.String({ description: 'Name' }),
  slug: Type.String({ description: 'Name in URLs' }),
  parentId: ParentId,
  enabled: Enabled,
  visible: Type.Boolean({ description: 'Enabled, not auto-hidden, and every ancestor visible' }),
  showInHomepage: ShowInHomepage,
  displayOrder: DisplayOrder,
  productCount: described(Count, 'Active products in the subtree'),
  ...staffTexts,
  seo: ref(Seo),
}

export const SeoTextDoc = Nullable(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Text under the listing; any JSON object up to 64 KB',
  }),
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

/** What the public sees of a category, except for the text under the listing. */
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
      description: 'Child categories in their order',
    }),
  },
  {
    $id: 'CategoryNode',
    description: 'A category with its descendants',
    examples: [{ ...EXAMPLE, children: [] }],
  },
)

const staffProperties = {
  categoryLockedByGbstore: Type.Boolean({ description: 'Whether the sync leaves name and parent alone' }),
  autoHiddenByVisibilitySync: Type.Boolean({ description: 'Hidden by a rule or for lack of products' }),
  hiddenReason: Nullable(Type.String({ description: 'Why it was hidden' })),
  ...Edited.properties,
}

/** Contract section 4, "Category JSON". */
export const Category = Type.Object(
  {
    ...navigationProperties,
    seoTextDoc: SeoTextDoc,
    ...Type.Partial(Type.Object(staffProperties)).properties,
  },
  {
    $id: 'Category',
    description: 'A category; only staff get the optional members',
    examples: [{ ...EXAMPLE, seoTextDoc: { blocks: [{ type: 'paragraph', text: 'Как выбрать' }] } }],
  },
)
export type Category = Static<typeof Category>

const Locked = Type.Optional(
  Type.Boolean({
    description:
      'Whether the sync leaves name and parent alone; absent: true if this edit changes either of a supplier’s category',
  }),
)

export const CategoryInput = Type.Object(
  {
    name: Word(1000, 'Name'),
    hiddenReason: optionalText(1000, 'Why it was hidden'),
    categoryLockedByGbstore: Locked,
    ...Type.Partial(
      Type.Object({
        ...staffTexts,
        parentId: ParentId,
        enabled: Enabled,
        showInHomepage: ShowInHomepage,
        displayOrder: DisplayOrder,
        seoTextDoc: SeoTextDoc,
      }),
    ).properties,
  },
  {
    $id: 'CategoryInput',
    description: 'An edit of a category; absent fields stay as they are',
    examples: [{ name: 'Перфораторы', parentId: 2, enabled: true, metaTitle: 'Перфораторы с доставкой' }],
  },
)
export type CategoryInput = Static<typeof CategoryInput>

export const CategoryMove = Type.Object(
  {
    parentId: ParentId,
    position: described(Count, 'Position among the siblings, from 0; past the end means last'),
    categoryLockedByGbstore: Locked,
  },
  {
    $id: 'CategoryMove',
    description: 'Where to move a category',
    examples: [{ parentId: 2, position: 0 }],
  },
)
export type CategoryMove = Static<typeof CategoryMove>

export const CategoryOrder = Type.Object(
  {
    parentId: ParentId,
    ids: Type.Array(Id, {
      maxItems: 20_000,
      uniqueItems: true,
      description: 'All direct children of the parent, hidden ones too, in their new order',
    }),
  },
  {
    $id: 'CategoryOrder',
    description: 'The order of the children of a category, or of the top level',
    examples: [{ parentId: 2, ids: [5, 4, 9] }],
  },
)
export type CategoryOrder = Static<typeof CategoryOrder>

export const UnusedCategories = Type.Object(
  {
    categories: Type.Array(
      Type.Object({
        id: described(Id, 'Id of the category'),
        name: Type.String({ description: 'Name' }),
        path: Type.String({ description: 'The names from the top down, joined by ` / `' }),
        parentId: ParentId,
        visible: Type.Boolean({ description: 'Whether it is visible now' }),
      }),
      { description: 'In tree order' },
    ),
    count: described(Count, 'Number of categories'),
  },
  {
    $id: 'UnusedCategories',
    description: 'Enabled categories without an active product in their subtree',
    examples: [
      {
        categories: [{ id: 31, name: 'Архив', path: 'Инструмент / Архив', parentId: 2, visible: true }],
        count: 1,
      },
    ],
  },
)
export type UnusedCategories = Static<typeof UnusedCategories>
