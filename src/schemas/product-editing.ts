import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { ProductField } from '../rules/catalogue/product-fields.ts'
import {
  Count,
  DisplayOrder,
  FreeText,
  Id,
  Money,
  NamedObject,
  Nullable,
  optionalText,
  ref,
  Word,
} from './common.ts'
import { ProductOverride, staffTexts } from './products.ts'

const Name = Word(500, 'Name', 'Перфоратор Тармекс ПЕ-1400')

const optionalFields = {
  description: optionalText(
    100_000,
    'HTML, of which headings, paragraphs, lists, tables, emphasis, http(s) links and our own images remain',
    'Три режима, патрон SDS-plus.',
  ),
  ...Type.Partial(
    Type.Object({
      price: Nullable(Money("Only of products without a supplier's id")),
      sitePrice: Nullable(Money('Replaces the price; null: the price counts', 4199.5)),
      stock: Count("Only of products without a supplier's id"),
      active: Nullable(
        Type.Boolean({ description: 'Whether the public sees it; null: the supplier decides' }),
      ),
      categoryId: Nullable(Id('Id of the category; null: none')),
      brandId: Nullable(Id('Id of the brand; null: none')),
      ...staffTexts,
    }),
  ).properties,
} satisfies { [field in Exclude<ProductField, 'name'>]: TSchema }

export const ProductReplacement = NamedObject(
  'ProductReplacement',
  'An edit of a whole product; absent fields stay as they are',
  { name: Name, ...optionalFields },
)
export type ProductReplacement = Static<typeof ProductReplacement>

export const NewProduct = NamedObject('NewProduct', 'A product of the shop’s own, or one of the supplier’s', {
  name: Name,
  externalId: Type.Optional(
    Nullable(
      Word(200, "The supplier's id, also of a product that was deleted here; null: the shop's own product"),
    ),
  ),
  ...optionalFields,
})
export type NewProduct = Static<typeof NewProduct>

export const ProductPatch = NamedObject('ProductPatch', 'An edit of some fields of a product', {
  name: Type.Optional(Name),
  ...optionalFields,
  clearMetaTitle: Type.Optional(Type.Boolean({ description: 'Same as an empty metaTitle' })),
  clearMetaDescription: Type.Optional(Type.Boolean({ description: 'Same as an empty metaDescription' })),
  clearOverrides: Type.Optional(
    Type.Array(ref(ProductOverride), {
      maxItems: 10,
      description: 'Fields to reset to the supplier’s values',
    }),
  ),
})

export const ManualAttribute = NamedObject('ManualAttribute', 'An attribute set by staff', {
  name: Word(200, 'Name of the attribute', 'Гарантия'),
  value: Word(2000, 'Its value', '2 года'),
})

export const ManualAttributes = Type.Array(ref(ManualAttribute), {
  $id: 'ManualAttributes',
  maxItems: 200,
  description: 'All manual attributes of a product, in order; no name twice',
  examples: [ManualAttribute.examples],
})
export type ManualAttributes = Static<typeof ManualAttributes>

export const ProductTags = NamedObject('ProductTags', 'The tags of a product', {
  tagIds: Type.Array(Id('Id of a tag'), {
    maxItems: 200,
    description: 'All tags of the product',
    examples: [[3, 8]],
  }),
})
export type ProductTags = Static<typeof ProductTags>

export const ProductImages = NamedObject('ProductImages', 'The images of a product', {
  imageIds: Type.Array(Id('Id of an image'), {
    maxItems: 200,
    uniqueItems: true,
    description: 'All images of the product in display order, the main one first',
    examples: [[31, 30]],
  }),
})
export type ProductImages = Static<typeof ProductImages>

export const SlugChoice = NamedObject('SlugChoice', 'A slug chosen by staff', {
  slug: FreeText(
    500,
    '1 to 120 of a-z, 0-9 and single dashes, never used by another record of its kind',
    'perforator-pe-1400',
  ),
})

export const ProductImageParams = Type.Object({
  productId: Id('Id of the product'),
  imageId: Id('Id of the image'),
})

export const ImagePlaceQuery = Type.Object({
  displayOrder: Type.Optional({
    ...DisplayOrder,
    description:
      'Position, the smallest first; absent: last. Images from this position on move back if it is taken',
    examples: [2],
  }),
})
