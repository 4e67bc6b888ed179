import { type Static, Type } from '@sinclair/typebox'
import { Count, DisplayOrder, NamedObject, Nullable, optionalText, Text, Word } from './common.ts'

export const AttributeParams = Type.Object({
  name: Word(500, 'Name of the attribute', 'Мощность'),
})

const Position = Nullable(DisplayOrder, {
  description: 'Sort position among the facets; null: after those with one',
})

export const AttributeInput = NamedObject(
  'AttributeInput',
  'How facets show an attribute; an absent field keeps its value',
  {
    filterable: Type.Optional(
      Nullable(Type.Boolean(), {
        description: 'Whether it is a facet; null: if it has 2 to 100 values',
        examples: [true],
      }),
    ),
    position: Type.Optional(Position),
    unit: optionalText(50, 'Unit of its values'),
  },
)
export type AttributeInput = Static<typeof AttributeInput>

/** Contract section 4. */
export const Attribute = NamedObject('Attribute', 'An attribute of products as a facet', {
  name: Text('Name', 'Мощность'),
  products: Count('Active products that have it'),
  values: Count('Different values that active products have'),
  filterable: Type.Boolean({ description: 'Whether it is a facet' }),
  position: Position,
  unit: Nullable(Text('Unit of its values; null: none', 'Вт')),
})
export type Attribute = Static<typeof Attribute>
