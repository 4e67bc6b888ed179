import { type Static, Type } from '@sinclair/typebox'
import { Count, Id, Money, NamedObject, Nullable, Text } from './common.ts'

const Named = Type.Object({
  id: Id('Id of the record'),
  name: Text('Name'),
  count: Count('Matching products'),
})

/** Contract section 4. */
export const Facets = NamedObject(
  'Facets',
  'Products of a list by brand, category, price and attribute; each facet ignores its own filter',
  {
    brands: Type.Array(Named, {
      description: 'Brands, the largest first',
      examples: [[{ id: 5, name: 'Тармекс', count: 12 }]],
    }),
    categories: Type.Array(Named, {
      description:
        'Visible categories, each with its subcategories: with `categoryId` that one, its siblings and its children; with a search all; otherwise the top level',
      examples: [[{ id: 5, name: 'Перфораторы', count: 32 }]],
    }),
    price: Nullable(
      Type.Object({
        min: Money('Lowest finalPrice'),
        max: Money('Highest finalPrice'),
      }),
      { description: 'Null: no product has a price', examples: [{ min: 1990, max: 24999.99 }] },
    ),
    attributes: Type.Array(
      Type.Object({
        name: Text('Name for the `attr.<name>` filter', 'Патрон'),
        unit: Nullable(Text('Unit of the values; null: none')),
        values: Type.Array(
          Type.Object({
            value: Text('Value, as most products write it', 'SDS-plus'),
            count: Count('Matching products'),
          }),
          { description: 'The most frequent values first, at most 100' },
        ),
      }),
      { description: 'Filterable attributes by position, then by products, at most 30' },
    ),
  },
)
export type Facets = Static<typeof Facets>
