import { type Static, Type } from '@sinclair/typebox'
import { MAX_BULK_PRODUCTS } from '../rules/catalogue/bulk-edit.ts'
import * as t from './common.ts'
import {
  ATTRIBUTE_FILTERS,
  ProductOverride,
  ProductQuery,
  StaffProduct,
  staffTexts,
  type WithAttributes,
} from './products.ts'

const Name = t.NonBlankLine(500, 'Name', 'Перфоратор Тармекс ПЕ-1400')

const SitePrice = { ...t.Amount('Overrides the price; null: no override', 4199.5), minimum: 0.01 }

const optionalFields = {
  description: Type.Optional({
    ...t.optionalText(
      100_000,
      "HTML; only headings, paragraphs, lists, tables, emphasis, http(s) links and the shop's own images are kept",
      'Три режима, патрон SDS-plus.',
    ),
    ...t.HTML,
  }),
  ...t.partial({
    price: t.Nullable(t.Amount("Price; that of a supplier's product cannot be changed")),
    sitePrice: t.Nullable(SitePrice),
    stock: t.Count("Stock; that of a supplier's product cannot be changed"),
    active: t.Nullable(Type.Boolean({ description: 'Whether the public sees it; null: the supplier decides' })),
    categoryId: t.Nullable(t.Id('Id of the category; null: none')),
    brandId: t.Nullable(t.Id('Id of the brand; null: none')),
    ...staffTexts,
  }),
}

/** The fields of a product that staff edit. */
const ProductFields = Type.Object({ name: Type.Optional(Name), ...optionalFields })

export const ProductReplacement = t.NamedObject('ProductReplacement', 'An edit; absent fields keep their values', {
  name: Name,
  ...optionalFields,
})

export const NewProduct = t.NamedObject('NewProduct', 'A product of the shop or of the supplier', {
  name: Name,
  externalId: Type.Optional(
    t.Nullable(t.NonBlank(200, "The supplier's id, even of a product deleted here; null: the shop's own product")),
  ),
  ...optionalFields,
})
export type NewProduct = Static<typeof NewProduct>

export const ProductPatch = t.NamedObject('ProductPatch', 'An edit of some fields of a product', {
  ...ProductFields.properties,
  clearMetaTitle: Type.Optional(Type.Boolean({ description: 'Same as an empty metaTitle' })),
  clearMetaDescription: Type.Optional(Type.Boolean({ description: 'Same as an empty metaDescription' })),
  clearOverrides: Type.Optional(
    Type.Array(t.ref(ProductOverride), {
      maxItems: 10,
      description: "Fields that take the supplier's values back",
    }),
  ),
})

export type ProductInput = Static<typeof ProductPatch>

const ManualAttribute = t.NamedObject('ManualAttribute', 'An attribute set by staff', {
  name: t.NonBlankLine(200, 'Name of the attribute', 'Гарантия'),
  value: t.NonBlank(2000, 'Its value', '2 года'),
})

export const ManualAttributes = Type.Array(t.ref(ManualAttribute), {
  $id: 'ManualAttributes',
  maxItems: 200,
  description: 'All manual attributes of a product, in order; no name twice',
  examples: [ManualAttribute.examples],
})
export type ManualAttributes = Static<typeof ManualAttributes>

export const ProductTags = t.NamedObject('ProductTags', 'The tags of a product', {
  tagIds: Type.Array(t.Id('Id of a tag'), { maxItems: 200, description: 'All tags of the product' }),
})
export type ProductTags = Static<typeof ProductTags>

export const ProductImages = t.NamedObject('ProductImages', 'The images of a product', {
  imageIds: Type.Array(t.Id('Id of an image'), {
    maxItems: 200,
    uniqueItems: true,
    description: 'All images of the product in display order, the main one first',
  }),
})
export type ProductImages = Static<typeof ProductImages>

export const SlugChoice = t.NamedObject('SlugChoice', 'A slug chosen by staff', {
  slug: t.Slug('a-z, 0-9 and single dashes; never used by another of its kind', 'perforator-pe-1400'),
})

export const ProductImageParams = Type.Object({
  productId: t.Id('Id of the product'),
  imageId: t.Id('Id of the image'),
})

export const ImagePlaceQuery = Type.Object({
  displayOrder: Type.Optional({
    ...t.DisplayOrder,
    description: 'Position; absent: last. If it is taken, images from there on move back',
    examples: [2],
  }),
})

const { brandId, tagId, ...conditions } = Type.Omit(ProductQuery, ['page', 'size', 'sort', 'after']).properties

/** Unknown conditions are rejected: ignoring one would change more products than meant. */
const Conditions = Type.Object(
  {
    ...conditions,
    brandId: Type.Optional(
      Type.Union([t.Id('Id of a brand'), Type.Optional(brandId, false)], {
        description: 'One brand, or text as in the list',
      }),
    ),
    tagId: Type.Optional(
      Type.Union([t.Id('Id of a tag'), Type.Optional(tagId, false)], {
        description: 'One tag, or text as in the list',
      }),
    ),
  },
  {
    ...ATTRIBUTE_FILTERS,
    $id: 'BulkFilter',
    additionalProperties: false,
    description:
      'The filters of the product list, `attr.<name>` with a value or a list included; a misspelt search is not corrected',
    examples: [{ categoryId: 5, maxPrice: 5000 }],
  },
)
export const BulkFilter = Type.Unsafe<WithAttributes<Static<typeof Conditions>>>(Conditions)
export type BulkFilter = Static<typeof BulkFilter>

const TagIds = Type.Array(t.Id('Id of a tag'), { minItems: 1, maxItems: 100 })

const BulkChange = t.NamedObject('BulkChange', 'At least one change, and at most one of the two prices', {
  active: optionalFields.active,
  categoryId: optionalFields.categoryId,
  sitePrice: optionalFields.sitePrice,
  sitePricePercent: Type.Optional(
    Type.Number({
      format: 'amount',
      exclusiveMinimum: 0,
      maximum: 1000,
      description: 'sitePrice as a percentage of the price, rounded half up; 90 is ten percent off',
      examples: [90],
    }),
  ),
  addTagIds: Type.Optional({ ...TagIds, description: 'Tags to add', examples: [[3]] }),
  removeTagIds: Type.Optional({ ...TagIds, description: 'Tags to remove, before others are added' }),
})

export const BulkEdit = t.NamedObject('BulkEdit', 'One change to products selected by `ids`, `filter` or `all`', {
  ids: Type.Optional(
    Type.Array(t.Id('Id of a product'), {
      minItems: 1,
      maxItems: MAX_BULK_PRODUCTS,
      description: 'Instead of `filter`',
      examples: [[12, 15]],
    }),
  ),
  filter: Type.Optional(
    t.ref(BulkFilter, {
      description:
        'Selects the products that the list would show staff; instead of `ids`. One that leaves out nothing is refused',
    }),
  ),
  all: Type.Optional(Type.Literal(true, { description: 'Every product; instead of `ids` and `filter`' })),
  set: t.ref(BulkChange, { description: 'The change to each product' }),
})
export type BulkEdit = Static<typeof BulkEdit>

export const BulkEditQuery = Type.Object({ dryRun: t.Flag('Report what would change without changing it') })

const BulkError = t.NamedObject('BulkError', 'A product that prevents a bulk edit', {
  id: t.Id('Id of the product'),
  message: t.Text('Why the product cannot be changed', 'The product has no price'),
})

const BulkValues = t.NamedObject('BulkValues', 'What a bulk edit sets, as far as it does', {
  ...Type.Pick(BulkChange, ['active', 'categoryId']).properties,
  sitePrice: Type.Optional(StaffProduct.properties.sitePrice),
  tagIds: Type.Optional(Type.Array(t.Id('Id of a tag'), { description: 'All tags of the product', examples: [[3]] })),
})

const BulkSample = t.NamedObject('BulkSample', 'A product that a bulk edit would change', {
  id: t.Id('Id of the product'),
  name: t.Text('Its name', 'Перфоратор Тармекс ПЕ-1400'),
  before: t.ref(BulkValues),
  after: t.ref(BulkValues),
})

export const BulkEdited = t.NamedObject('BulkEdited', 'The result of a bulk edit: everything or nothing', {
  matched: t.Count('Selected products'),
  changed: t.Count('Products that changed, or would change; 0 when there are errors'),
  errors: t.List(BulkError, 'Products that prevented the edit of all of them'),
  sample: Type.Optional(t.List(BulkSample, 'Of a dry run: the first twenty products that would change')),
})
export type BulkEdited = Static<typeof BulkEdited>

const ExternalId = t.NonBlank(200, "The supplier's id", 'P-1001')

export const DeletedProduct = t.NamedObject('DeletedProduct', "A supplier's product that staff deleted", {
  externalId: ExternalId,
  name: t.Nullable(t.Text('Name when it was deleted; null: deleted long ago', 'Дрель ударная')),
  deletedAt: t.Timestamp('Time of the deletion'),
})
export type DeletedProduct = Static<typeof DeletedProduct>

export const DeletedProductParams = Type.Object({ externalId: ExternalId })
