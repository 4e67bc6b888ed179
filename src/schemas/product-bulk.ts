import { type Static, Type } from '@sinclair/typebox'
import { MAX_BULK_PRODUCTS } from '../rules/catalogue/bulk-edit.ts'
import { Count, Flag, Id, List, Money, NamedObject, Nullable, ref, Text } from './common.ts'
import { ProductListQuery } from './products.ts'

const { brandId, ...conditions } = Type.Omit(ProductListQuery, ['page', 'size', 'sort']).properties

/** Unknown conditions are rejected: ignoring one would change more products than meant. */
export const BulkFilter = Type.Object(
  {
    ...conditions,
    brandId: Type.Optional(
      Type.Union(
        [
          Id('Id of a brand'),
          Type.Array(Id('Id of a brand'), { minItems: 1, maxItems: 100 }),
          Type.Optional(brandId, false),
        ],
        {
          description: 'Of any of these brands: an id, a list, or comma-separated ids',
        },
      ),
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

const TagIds = Type.Array(Id('Id of a tag'), { minItems: 1, maxItems: 100 })

export const BulkChange = NamedObject(
  'BulkChange',
  'At least one change, and at most one of the two prices',
  {
    active: Type.Optional(
      Nullable(Type.Boolean({ description: 'Whether the public sees them; null: the supplier decides' })),
    ),
    sitePrice: Type.Optional(Nullable(Money('Replaces the price; null: the price counts'))),
    sitePricePercent: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1000,
        description: 'sitePrice in percent of the price, rounded half up; 90 is ten percent off',
        examples: [90],
      }),
    ),
    categoryId: Type.Optional(Nullable(Id('Id of the category; null: none'))),
    addTagIds: Type.Optional({ ...TagIds, description: 'Tags to add', examples: [[3]] }),
    removeTagIds: Type.Optional({ ...TagIds, description: 'Tags to remove' }),
  },
)
export type BulkChange = Static<typeof BulkChange>

export const BulkEdit = NamedObject(
  'BulkEdit',
  'The same change of many products: either `ids` or `filter`',
  {
    ids: Type.Optional(
      Type.Array(Id('Id of a product'), {
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
  dryRun: Flag('Report what would change without changing it'),
})

export const BulkError = NamedObject('BulkError', 'A product that prevents a bulk edit', {
  id: Id('Id of the product'),
  message: Text('Why the product can not be changed', 'has no price'),
})

export const BulkEdited = NamedObject('BulkEdited', 'The result of a bulk edit: everything or nothing', {
  matched: Count('Selected products'),
  changed: Count('Products that changed, or would change; 0 when there are errors'),
  errors: List(BulkError, 'Products that prevented the edit of all of them'),
})
export type BulkEdited = Static<typeof BulkEdited>
