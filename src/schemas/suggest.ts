import { type Static, Type } from '@sinclair/typebox'
import { described, Id, Money, Nullable, ref } from './common.ts'
import { BrandName, Link } from './products.ts'

export const SuggestQuery = Type.Object({
  q: Type.String({ maxLength: 100, description: 'The text typed so far', examples: ['перф'] }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 20,
    default: 5,
    description: 'Maximum number of each kind',
    examples: [5],
  }),
})
export type SuggestQuery = Static<typeof SuggestQuery>

export const SuggestedProduct = Type.Object(
  {
    id: described(Id, 'Id of the product'),
    name: Type.String({ description: 'Name' }),
    slug: Type.String({ description: 'Slug' }),
    price: Nullable(described(Money, 'What the customer pays, or null if there is none')),
    imageUrl: Nullable(Type.String({ description: 'Path of the main image, or null if there is none' })),
  },
  {
    $id: 'SuggestedProduct',
    description: 'A product whose name matches',
    examples: [
      {
        id: 1160,
        name: 'Перфоратор Тармекс ПЕ-1400',
        slug: 'perforator-tarmeks-pe-1400',
        price: 5990,
        imageUrl: '/api/v1/images/31',
      },
    ],
  },
)

export type SuggestedProduct = Static<typeof SuggestedProduct>

/** Contract section 4, "search". */
export const Suggestions = Type.Object(
  {
    words: Type.Array(Type.String(), {
      description: 'Searches that continue the text, the most frequent words first',
    }),
    categories: Type.Array(ref(Link), { description: 'Visible categories whose names match' }),
    brands: Type.Array(ref(BrandName), { description: 'Brands whose names match' }),
    products: Type.Array(ref(SuggestedProduct), {
      description: 'Products whose names match, the best sold first',
    }),
  },
  {
    $id: 'Suggestions',
    description: 'Completions of a search',
    examples: [
      {
        words: ['перфоратор', 'перфораторы'],
        categories: Link.examples,
        brands: [],
        products: SuggestedProduct.examples,
      },
    ],
  },
)
export type Suggestions = Static<typeof Suggestions>
