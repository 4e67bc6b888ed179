import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'
import { Link } from './products.ts'

const counted = { ...Link.properties, count: t.Count('Matching products') }

const CategoryRelation = t.NamedEnum(
  'CategoryRelation',
  'To the chosen category; without one: top level, or below it',
  ['self', 'sibling', 'child', 'top'],
)

export const Facets = t.NamedObject('Facets', 'The products of a list counted; each facet ignores its own filter', {
  brands: Type.Array(Type.Object(counted), { description: 'Brands, the largest first' }),
  categories: Type.Array(
    Type.Object({
      ...counted,
      parentId: t.Nullable(t.Id('Category above it; null: none')),
      relation: t.ref(CategoryRelation),
    }),
    {
      description:
        'Visible categories, each with its subcategories: with `categoryId` that one, its siblings and its children; with a search all; otherwise the top level',
    },
  ),
  price: t.Nullable(Type.Object({ min: t.Money('Lowest finalPrice'), max: t.Money('Highest finalPrice') }), {
    description: 'Null: no product has a price',
  }),
  attributes: Type.Array(
    Type.Object({
      name: t.Text('Name for the `attr.<name>` filter', 'Патрон'),
      unit: t.Nullable(t.Text('Unit of the values; null: none')),
      min: t.Nullable(Type.Number(), {
        description: 'Least value; null unless all are numbers of one unit',
        examples: [550],
      }),
      max: t.Nullable(Type.Number(), {
        description: 'Greatest value, for `attr.<name>.max`; null likewise',
        examples: [1400],
      }),
      values: Type.Array(
        Type.Object({
          value: t.Text('Value, as most products write it', 'SDS-plus'),
          count: t.Count('Matching products'),
        }),
        { description: 'The most frequent values first, at most 100' },
      ),
    }),
    { description: 'Filterable attributes by position, then by products, at most 30' },
  ),
})
export type Facets = Static<typeof Facets>

export const AttributeParams = Type.Object({ name: t.NonBlank(500, 'Name of the attribute', 'Мощность') })

const Position = t.Nullable(t.DisplayOrder, {
  description: 'Sort position among the facets; null: after those with one',
})

export const AttributeInput = t.NamedObject('AttributeInput', 'An edit; absent fields keep their values', {
  filterable: Type.Optional(
    t.Nullable(Type.Boolean(), {
      description: 'Whether it is a facet; null: only if it has 2 to 100 values',
      examples: [true],
    }),
  ),
  position: Type.Optional(Position),
  unit: t.optionalText(50, 'Unit of its values'),
})
export type AttributeInput = Static<typeof AttributeInput>

export const Attribute = t.NamedObject('Attribute', 'An attribute of products as a facet', {
  name: t.Text('Name', 'Мощность'),
  products: t.Count('Active products that have it'),
  values: t.Count('Different values that active products have'),
  filterable: Type.Boolean({ description: 'Whether it is a facet' }),
  position: Position,
  unit: t.Nullable(t.Text('Unit of its values; null: none', 'Вт')),
  version: t.EDITED.version,
})
export type Attribute = Static<typeof Attribute>

export const SuggestQuery = Type.Object({
  q: t.FreeText(1000, 'The text typed so far', 'перф'),
  limit: Type.Integer({ minimum: 1, maximum: 20, default: 5, description: 'Maximum number of each kind' }),
})
export type SuggestQuery = Static<typeof SuggestQuery>

const SuggestedProduct = t.NamedObject('SuggestedProduct', 'A product whose name matches', {
  id: t.Id('Id of the product'),
  name: t.Text('Name', 'Перфоратор Тармекс ПЕ-1400'),
  slug: t.Text('Slug', 'perforator-tarmeks-pe-1400'),
  price: t.Nullable(t.Money('What the customer pays; null or 0: no price', 5990)),
  imageUrl: t.Nullable(t.Text('Path of the main image, or null if there is none', '/api/v1/images/31?v=2c26b46b68ff')),
})

export const Suggestions = t.NamedObject('Suggestions', 'Completions of a search', {
  words: Type.Array(Type.String(), {
    description: 'Searches that continue the text, the most frequent words first',
    examples: [['перфоратор', 'перфорированный']],
  }),
  categories: t.List(Link, 'Visible categories whose names match'),
  brands: t.List(Link, 'Brands whose names match'),
  products: t.List(SuggestedProduct, 'Products whose names match, the best sold first'),
})
export type Suggestions = Static<typeof Suggestions>
