import { type Static, Type } from '@sinclair/typebox'
import { MAX_BULK_PRODUCTS } from '../rules/catalogue/bulk-edit.ts'
import { Count, described, Id, Money, Nullable, ref } from './common.ts'
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

const TagIds = Type.Array(Id, { minItems: 1, maxItems: 100, examples: [[3, 8]] })

export const BulkChange = Type.Object(
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
      }),
    ),
    categoryId: Type.Optional(Nullable(described(Id, 'Id of the category; null: none'))),
    addTagIds: Type.Optional(described(TagIds, 'Tags to add')),
    removeTagIds: Type.Optional(described(TagIds, 'Tags to remove')),
  },
  {
    $id: 'BulkChange',
    description: 'At least one change, and at most one of the two prices',
    examples: [{ sitePricePercent: 90, addTagIds: [3] }],
  },
)
export type BulkChange = Static<typeof BulkChange>

export const BulkEdit = Type.Object(
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
  {
    $id: 'BulkEdit',
    description: 'The same change of many products: either `ids` or `filter`',
    examples: [{ filter: { categoryId: 5 }, set: { sitePricePercent: 90 } }],
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

export const BulkError = Type.Object(
  {
    id: described(Id, 'Id of the product'),
    message: Type.String({ description: 'Why the product can not be changed' }),
  },
  {
    $id: 'BulkError',
    description: 'A product that prevents a bulk edit',
    examples: [{ id: 15, message: 'has no price' }],
  },
)

export const BulkEdited = Type.Object(
  {
    matched: described(Count, 'Selected products'),
    changed: described(Count, 'Products that changed, or would change; 0 when there are errors'),
    errors: Type.Array(ref(BulkError), { description: 'Products that prevented the edit of all of them' }),
  },
  {
    $id: 'BulkEdited',
    description: 'The result of a bulk edit: everything or nothing',
    examples: [{ matched: 42, changed: 40, errors: [] }],
  },
)
export type BulkEdited = Static<typeof BulkEdited>
