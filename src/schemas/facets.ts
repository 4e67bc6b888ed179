import { type Static, Type } from '@sinclair/typebox'
import { Count, described, Id, Money, Nullable } from './common.ts'

const Named = Type.Object({
  id: described(Id, 'Id of the record'),
  name: Type.String({ description: 'Its name' }),
  count: described(Count, 'Products of it'),
})

/** Contract section 4: each counted without its own filter. */
export const Facets = Type.Object(
  {
    brands: Type.Array(Named, { description: 'Brands, those with most products first' }),
    categories: Type.Array(Named, { description: 'Visible categories by the products right in them' }),
    price: Nullable(
      Type.Object({
        min: described(Money, 'The lowest finalPrice'),
        max: described(Money, 'The highest finalPrice'),
      }),
      { description: 'Null: nothing has a price' },
    ),
    attributes: Type.Array(
      Type.Object({
        name: Type.String({ description: 'What `attr.<name>` takes' }),
        values: Type.Array(
          Type.Object({
            value: Type.String({ description: 'A value' }),
            count: described(Count, 'Products that have it'),
          }),
          { description: 'Its values, the most frequent first, a hundred at most' },
        ),
      }),
      { description: 'Attributes, those of most products first, thirty at most' },
    ),
  },
  {
    $id: 'Facets',
    description: 'How the products of a list spread, each facet counted without its own filter',
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
