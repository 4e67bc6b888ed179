import { type Static, Type } from '@sinclair/typebox'
import { MAX_BULK_PRODUCTS } from '../rules/catalogue/bulk-edit.ts'
import { Count, described, Id, Money, NamedObject, Nullable, ref, Text } from './common.ts'
import { ProductListQuery } from './products.ts'

const { brandId, ...conditions } = Type.Omit(ProductListQuery, ['page', 'size', 'sort']).properties

/** Unknown conditions are rejected: ignoring one would change more products than meant. */
export const BulkFilter = Type.Object(
  {
    ...conditions,
    brandId: Type.Optional(
      Type.Union([Id, Type.Array(Id, { minItems: 1, maxItems: 100 }), Type.Optional(brandId, false)], {
        description: 'Of any of these brands: an id, a list, or comma-separated ids',
      }),
    ),
  },
  {
    patternProperties: ProductListQuery.patternProperties,
    $id: 'BulkFilter',
    additionalProperties: false,
    description:
      'The filters of the product list, `attr.<name>` with a value or a list included; a misspelt search is not corrected',
    examples: [{ categoryId: 5, maxPrice: 5000 }],
  },
)
export type BulkFilter = Static<typeof BulkFilter>

const TagIds = Type.Array(Id, { minItems: 1, maxItems: 100 })

export const BulkChange = NamedObject(
  'BulkChange',
  'At least one change, and at most one of the two prices',
  {
    active: Type.Optional(
      Nullable(Type.Boolean({ description: 'Whether the public sees them; null: the supplier decides' })),
    ),
    sitePrice: Type.Optional(Nullable(described(Money, 'Replaces the price; null: the price counts'))),
    sitePricePercent: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1000,
        description: 'sitePrice in percent of the price, rounded half up; 90 is ten percent off',
        examples: [90],
      }),
    ),
    categoryId: Type.Optional(Nullable(described(Id, 'Id of the category; null: none'))),
    addTagIds: Type.Optional(described(TagIds, 'Tags to add', [3])),
    removeTagIds: Type.Optional(described(TagIds, 'Tags to remove')),
  },
)
export type BulkChange = Static<typeof BulkChange>

export const BulkEdit = NamedObject(
  'BulkEdit',
  'The same change of many products: either `ids` or `filter`',
  {
    ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: MAX_BULK_PRODUCTS,
        description: 'Instead of `filter`',
        examples: [[12, 15]],
      }),
    ),
    filter: Type.Optional(
      ref(BulkFilter, { description: 'All products that the list shows staff; instead of `ids`' }),
    ),
    set: ref(BulkChange, { description: 'The change of each product' }),
  },
)
export type BulkEdit = Static<typeof BulkEdit>

export const BulkEditQuery = Type.Object({
  dryRun: Type.Boolean({
    default: false,
    description: 'Report what would change without changing it',
    examples: [true],
  }),
})

export const BulkError = NamedObject('BulkError', 'A product that prevents a bulk edit', {
  id: described(Id, 'Id of the product'),
  message: Text('Why the product can not be changed', 'has no price'),
})

export const BulkEdited = NamedObject('BulkEdited', 'The result of a bulk edit: everything or nothing', {
  matched: described(Count, 'Selected products'),
  changed: described(Count, 'Products that changed, or would change; 0 when there are errors'),
  errors: Type.Array(ref(BulkError), { description: 'Products that prevented the edit of all of them' }),
})
export type BulkEdited = Static<typeof BulkEdited>
