import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { ProductField } from '../rules/catalogue/product-fields.ts'
import { Count, DisplayOrder, described, Id, Money, Nullable, optionalText, ref, Word } from './common.ts'
import { ProductOverride, staffTexts } from './products.ts'

const Name = Word(500, 'What it is called')

const optionalFields = {
  description: optionalText(100_000, 'May hold HTML'),
  price: Type.Optional(
    Nullable(described(Money, "Of a product made by hand; another one's is the supplier's")),
  ),
  sitePrice: Type.Optional(Nullable(described(Money, 'What the customer pays instead; null: the price'))),
  stock: Type.Optional(described(Count, "Of a product made by hand; another one's is the supplier's")),
  active: Type.Optional(
    Nullable(Type.Boolean({ description: "Whether the public sees it; null: the supplier's word counts" })),
  ),
  categoryId: Type.Optional(Nullable(described(Id, 'Its category; null: none'))),
  brandId: Type.Optional(Nullable(described(Id, 'Its brand; null: none'))),
  ...Type.Partial(Type.Object(staffTexts)).properties,
} satisfies { [field in Exclude<ProductField, 'name'>]: TSchema }

const EXAMPLE = {
  name: 'Перфоратор Тармекс ПЕ-1400',
  description: 'Три режима, патрон SDS-plus.',
  sitePrice: 4199.5,
  active: true,
  metaTitle: 'Перфоратор Тармекс ПЕ-1400 — купить',
}

export const ProductReplacement = Type.Object(
  { name: Name, ...optionalFields },
  {
    $id: 'ProductReplacement',
    description: 'A product as it shall be; absent fields stay as they are',
    examples: [EXAMPLE],
  },
)
export type ProductReplacement = Static<typeof ProductReplacement>

export const NewProduct = Type.Object(
  {
    name: Name,
    externalId: Type.Optional(
      Nullable(Word(200, "The supplier's id, also of a product of his that was deleted; null: made by hand")),
    ),
    ...optionalFields,
  },
  {
    $id: 'NewProduct',
    description: 'A product that is made by hand, or one of the supplier’s that shall come back',
    examples: [{ name: 'Подарочный сертификат', price: 3000, stock: 100 }],
  },
)
export type NewProduct = Static<typeof NewProduct>

export const ProductPatch = Type.Object(
  {
    name: Type.Optional(Name),
    ...optionalFields,
    clearMetaTitle: Type.Optional(
      Type.Boolean({ description: 'Back to the template, as an empty metaTitle' }),
    ),
    clearMetaDescription: Type.Optional(
      Type.Boolean({ description: 'Back to the template, as an empty metaDescription' }),
    ),
    clearOverrides: Type.Optional(
      Type.Array(ref(ProductOverride), {
        maxItems: 10,
        description: 'Fields that shall follow the supplier again, at once',
      }),
    ),
  },
  {
    $id: 'ProductPatch',
    description: 'What of a product shall be otherwise',
    examples: [{ sitePrice: 4199.5, clearMetaTitle: true }],
  },
)

export const ManualAttribute = Type.Object(
  {
    name: Word(200, 'What is said of the product'),
    value: Word(2000, 'What it is'),
  },
  {
    $id: 'ManualAttribute',
    description: 'Something that staff say of a product',
    examples: [{ name: 'Гарантия', value: '2 года' }],
  },
)

export const ManualAttributes = Type.Array(ref(ManualAttribute), {
  $id: 'ManualAttributes',
  maxItems: 200,
  description: 'All that staff say of a product, in their order; no name twice',
  examples: [ManualAttribute.examples],
})
export type ManualAttributes = Static<typeof ManualAttributes>

const TagIds = Type.Array(Id, { maxItems: 200, examples: [[3, 8]] })

export const ProductTags = Type.Object(
  { tagIds: described(TagIds, 'All tags of the product') },
  { $id: 'ProductTags', description: 'What a product is tagged with', examples: [{ tagIds: [3, 8] }] },
)
export type ProductTags = Static<typeof ProductTags>

export const SlugChoice = Type.Object(
  {
    slug: Type.String({
      maxLength: 500,
      description: '1 to 120 of a-z, 0-9 and single dashes; nobody else’s, now or before',
    }),
  },
  { $id: 'SlugChoice', description: 'A slug that staff chose', examples: [{ slug: 'perforator-pe-1400' }] },
)

export const ProductImageParams = Type.Object({
  productId: described(Id, 'Id of the product'),
  imageId: described(Id, 'Id of the image'),
})

export const ImagePlaceQuery = Type.Object({
  displayOrder: Type.Optional({
    ...described(DisplayOrder, 'Its place, the smallest first; absent: after all others'),
    examples: [2],
  }),
})
