import { type Static, Type } from '@sinclair/typebox'
import { ref } from './common.ts'
import { BrandName, Link } from './products.ts'

export const SuggestQuery = Type.Object({
  q: Type.String({ maxLength: 100, description: 'What was typed so far', examples: ['перф'] }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 20,
    default: 5,
    description: 'How many of each kind at most',
    examples: [5],
  }),
})
export type SuggestQuery = Static<typeof SuggestQuery>

/** Contract section 4, "search". */
export const Suggestions = Type.Object(
  {
    words: Type.Array(Type.String(), {
      description: 'Searches that begin so, the most frequent words first',
    }),
    categories: Type.Array(ref(Link), { description: 'Visible categories with such words' }),
    brands: Type.Array(ref(BrandName), { description: 'Brands with such words' }),
    products: Type.Array(ref(Link), { description: 'Products with such words, those ordered most first' }),
  },
  {
    $id: 'Suggestions',
    description: 'How what was typed may go on',
    examples: [
      {
        words: ['перфоратор', 'перфораторы'],
        categories: Link.examples,
        brands: [],
        products: [{ id: 1160, name: 'Перфоратор Тармекс ПЕ-1400', slug: 'perforator-tarmeks-pe-1400' }],
      },
    ],
  },
)
export type Suggestions = Static<typeof Suggestions>
