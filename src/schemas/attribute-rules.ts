import { type Static, Type } from '@sinclair/typebox'
import { described, Edited, Id, Nullable, Word } from './common.ts'

const EXAMPLE = { alias: 'Мощн., Вт', name: 'Мощность', ignore: false }

export const AttributeRuleInput = Type.Object(
  {
    alias: Word(200, 'As the feed calls the attribute; upper and lower case are the same'),
    name: Type.Optional(
      Nullable(
        Type.String({ maxLength: 200, description: 'What it shall be called; needed unless it is ignored' }),
      ),
    ),
    ignore: Type.Optional(Type.Boolean({ description: 'Leave it out' })),
  },
  {
    $id: 'AttributeRuleInput',
    description: 'A rule as it shall be; what is absent stays',
    examples: [EXAMPLE],
  },
)
export type AttributeRuleInput = Static<typeof AttributeRuleInput>

/** Contract section 9, "Pipeline". */
export const AttributeRule = Type.Object(
  {
    id: described(Id, 'Id of the rule'),
    alias: Type.String({ description: 'As the feed calls the attribute' }),
    name: Nullable(Type.String({ description: 'What it is called here; null: it is ignored' })),
    ignore: Type.Boolean({ description: 'It is left out' }),
    ...Edited.properties,
  },
  {
    $id: 'AttributeRule',
    description: 'What becomes of an attribute of the feed',
    examples: [{ id: 4, ...EXAMPLE, ...Edited.examples?.[0] }],
  },
)
export type AttributeRule = Static<typeof AttributeRule>
