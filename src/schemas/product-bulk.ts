import { type Static, Type } from '@sinclair/typebox'
import { MAX_BULK_PRODUCTS } from '../rules/catalogue/bulk-edit.ts'
import { Count, described, Id, Money, Nullable, ref } from './common.ts'
import { ProductListQuery } from './products.ts'

const { brandId, ...conditions } = Type.Omit(ProductListQuery, ['page', 'size', 'sort']).properties

/** Unlike elsewhere a condition that isn't known is refused: passing over it would change more than was meant. */
export const BulkFilter = Type.Object(
  {
    ...conditions,
    brandId: Type.Optional(
      Type.Union([Id, Type.Array(Id, { minItems: 1, maxItems: 100 }), Type.Optional(brandId, false)], {
        description: 'Of this brand, or of any of several, as a list or with commas between them',
      }),
    ),
  },
  {
    patternProperties: ProductListQuery.patternProperties,
    $id: 'BulkFilter',
    additionalProperties: false,
    description: 'The conditions of the list of products; what is misspelt finds nothing',
    examples: [{ categoryId: 5, maxPrice: 5000 }],
  },
)
export type BulkFilter = Static<typeof BulkFilter>

const TagIds = Type.Array(Id, { minItems: 1, maxItems: 100, examples: [[3, 8]] })

export const BulkChange = Type.Object(
  {
    active: Type.Optional(
      Nullable(
        Type.Boolean({ description: "Whether the public sees them; null: the supplier's word counts" }),
      ),
    ),
    sitePrice: Type.Optional(Nullable(described(Money, 'What the customer pays; null: the price'))),
    sitePricePercent: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1000,
        description: "sitePrice as a share of each product's price, rounded half up; 90: ten percent off",
      }),
    ),
    categoryId: Type.Optional(Nullable(described(Id, 'Their category; null: none'))),
    addTagIds: Type.Optional(described(TagIds, 'Tags that they get')),
    removeTagIds: Type.Optional(described(TagIds, 'Tags that they lose')),
  },
  {
    $id: 'BulkChange',
    description: 'What shall be otherwise: at least one of these, at most one of the prices',
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
        description: 'These products; or else `filter`',
        examples: [[12, 15]],
      }),
    ),
    filter: Type.Optional(ref(BulkFilter, { description: 'All that the list shows staff; or else `ids`' })),
    set: ref(BulkChange, { description: 'What is done to each' }),
  },
  {
    $id: 'BulkEdit',
    description: 'One change of many products: either `ids` or `filter`',
    examples: [{ filter: { categoryId: 5 }, set: { sitePricePercent: 90 } }],
  },
)
export type BulkEdit = Static<typeof BulkEdit>

export const BulkEditQuery = Type.Object({
  dryRun: Type.Boolean({
    default: false,
    description: 'Only says what would change',
    examples: [true],
  }),
})

export const BulkError = Type.Object(
  {
    id: described(Id, 'Id of the product'),
    message: Type.String({ description: 'Why it can not be changed so' }),
  },
  {
    $id: 'BulkError',
    description: 'A product that keeps a bulk edit from being done',
    examples: [{ id: 15, message: 'has no price' }],
  },
)

export const BulkEdited = Type.Object(
  {
    matched: described(Count, 'Products that are meant'),
    changed: described(Count, 'How many of them are otherwise now, or would be; 0 when there are errors'),
    errors: Type.Array(ref(BulkError), { description: 'What kept all of them from being changed' }),
  },
  {
    $id: 'BulkEdited',
    description: 'What came of a bulk edit: everything or nothing',
    examples: [{ matched: 42, changed: 40, errors: [] }],
  },
)
export type BulkEdited = Static<typeof BulkEdited>
