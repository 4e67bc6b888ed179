import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'
import { CanonicalPath, Link, Seo } from './products.ts'

/** Texts written by staff, the same in a category and in its input. */
const staffTexts = {
  icon: t.Nullable(t.FreeText(2000, 'Name or URL of an icon')),
  metaTitle: t.Nullable(t.FreeText(1000, 'Overrides the title template', 'Перфораторы с доставкой')),
  metaDescription: t.Nullable(t.FreeText(5000, 'Overrides the description template')),
}

const navigationProperties = {
  id: t.Id('Id of the category'),
  externalId: t.Nullable(t.Text("The supplier's id; null: created by staff", 'C105')),
  name: t.Text('Name', 'Перфораторы'),
  slug: t.Text('Name in URLs', 'perforatory'),
  parentId: t.Nullable(t.Id('Null: a top-level category')),
  enabled: Type.Boolean({ description: 'Whether it is shown in navigation' }),
  visible: Type.Boolean({ description: 'Enabled, not auto-hidden, and every ancestor visible' }),
  showInHomepage: Type.Boolean({ description: 'Whether it is shown in the homepage block' }),
  displayOrder: t.DisplayOrder,
  productCount: t.Count('Active products in the subtree'),
  ...staffTexts,
  seo: t.ref(Seo),
}
const { parentId, enabled, showInHomepage, displayOrder } = navigationProperties

export const SeoTextDoc = t.Nullable(
  // Not Type.Record, whose pattern doesn't match a key with a line break.
  Type.Unsafe<{ [key: string]: unknown }>({
    type: 'object',
    additionalProperties: true,
    'x-maxBytes': 64 * 1024,
    description: 'Text below the product list; any JSON object up to 64 KB',
    examples: [{ blocks: [{ type: 'paragraph', text: 'Как выбрать' }] }],
  }),
)

/** What the public sees of a category, except the text below the product list. */
export const NavigationCategory = t.NamedObject(
  'NavigationCategory',
  'A category as navigation needs it',
  navigationProperties,
)
export type NavigationCategory = Static<typeof NavigationCategory>

export const NavigationCategories = t.List(NavigationCategory, 'The categories')

export type CategoryNode = NavigationCategory & { children: CategoryNode[] }

export const CategoryNode = t.NamedObject('CategoryNode', 'A category with its descendants', {
  ...navigationProperties,
  children: Type.Array(Type.Unsafe<CategoryNode>(Type.Ref('CategoryNode')), {
    description: 'Child categories in display order',
  }),
})

export const CategoryTree = t.List(CategoryNode, 'The top level of the navigation')

export const Category = t.NamedObject('Category', 'A category as the public sees it', {
  ...navigationProperties,
  seoTextDoc: SeoTextDoc,
  canonicalPath: CanonicalPath,
})
export type Category = Static<typeof Category>

export const Categories = t.List(Category, 'The categories')

export const StaffCategory = t.NamedObject('StaffCategory', 'A category as staff see it', {
  ...Category.properties,
  categoryLockedByGbstore: Type.Boolean({ description: 'Whether the sync leaves name and parent alone' }),
  autoHiddenByVisibilitySync: Type.Boolean({ description: 'Hidden by a filter or for lack of products' }),
  hiddenReason: t.Nullable(t.Text('Why it was hidden')),
  ...t.EDITED,
})
export type StaffCategory = Static<typeof StaffCategory>

export const StaffCategories = t.List(StaffCategory, 'The categories')

const page = { breadcrumbs: t.List(Link, 'From the root to the category itself') }

export const CategoryPage = t.NamedObject('CategoryPage', 'A category with its place in the tree, for the public', {
  ...Category.properties,
  ...page,
})

export const StaffCategoryPage = t.NamedObject(
  'StaffCategoryPage',
  'A category with its place in the tree, for staff',
  {
    ...StaffCategory.properties,
    ...page,
  },
)

export const CategoryInput = t.NamedObject('CategoryInput', 'An edit; absent fields keep their values', {
  name: t.NonBlankLine(1000, 'Name', 'Перфораторы'),
  hiddenReason: t.optionalText(1000, 'Why it was hidden'),
  categoryLockedByGbstore: Type.Optional(
    Type.Boolean({ description: "As in the category; absent: true if this edits a supplier's name or parent" }),
  ),
  ...t.partial({ ...staffTexts, parentId, enabled, showInHomepage, displayOrder, seoTextDoc: SeoTextDoc }),
})
export type CategoryInput = Static<typeof CategoryInput>

export const CategoryMove = t.NamedObject('CategoryMove', 'Where to move a category', {
  parentId,
  position: t.Count('Position among the siblings, from 0; past the end means last'),
})
export type CategoryMove = Static<typeof CategoryMove>

export const CategoryOrder = t.NamedObject('CategoryOrder', 'The new order of the children of a category', {
  parentId,
  ids: Type.Array(t.Id('Id of a category'), {
    maxItems: 20_000,
    uniqueItems: true,
    description: 'All direct children of the parent, hidden ones too, in their new order',
  }),
})
export type CategoryOrder = Static<typeof CategoryOrder>

const ListedCategory = t.NamedObject('ListedCategory', 'A category and its place in the tree', {
  id: t.Id('Id of the category'),
  name: t.Text('Name', 'Архив'),
  path: t.Text('Names from the root down, joined by ` / `', 'Инструмент / Архив'),
  parentId,
  visible: Type.Boolean({ description: 'Whether it is visible now' }),
})

export const ListedCategories = t.NamedObject('ListedCategories', 'Categories found, in tree order', {
  categories: t.List(ListedCategory, 'The categories'),
  count: t.Count('Number of categories'),
})
export type ListedCategories = Static<typeof ListedCategories>
