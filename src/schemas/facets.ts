import { type Static, Type } from '@sinclair/typebox'
import { Count, described, Id, Money, Nullable } from './common.ts'

const Named = Type.Object({
  id: described(Id, 'Id of the record'),
  name: Type.String({ description: 'Name' }),
  count: described(Count, 'Matching products'),
})

/** Contract section 4. */
export const Facets = Type.Object(
  {
    brands: Type.Array(Named, { description: 'Brands, the largest first' }),
    categories: Type.Array(Named, { description: 'Visible categories with products directly in them' }),
    price: Nullable(
      Type.Object({
        min: described(Money, 'Lowest finalPrice'),
        max: described(Money, 'Highest finalPrice'),
      }),
      { description: 'Null: no product has a price' },
    ),
    attributes: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name for the `attr.<name>` filter' }),
        values: Type.Array(
          Type.Object({
            value: Type.String({ description: 'Value' }),
            count: described(Count, 'Matching products'),
          }),
          { description: 'The most frequent values first, at most 100' },
        ),
      }),
      { description: 'Attributes of most products first, at most 30' },
    ),
  },
  {
    $id: 'Facets',
    description:
      'Products of a list by brand, category, price and attribute; each facet ignores its own filter',
    examples: [
      {
        brands: [{ id: 5, name: 'Тармекс', count: 12 }],
        categories: [{ id: 5, name: 'Перфораторы', count: 32 }],
        price: { min: 1990, max: 24999.99 },
        attributes: [{ name: 'Патрон', values: [{ value: 'SDS-plus', count: 30 }] }],
      },
    ],
  },
)
export type Facets = Static<typeof Facets>
