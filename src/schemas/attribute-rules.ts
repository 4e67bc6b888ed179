import { type Static, Type } from '@sinclair/typebox'
import { described, Edited, Id, Nullable, Word } from './common.ts'

const EXAMPLE = { alias: 'Мощн., Вт', name: 'Мощность', ignore: false }

export const AttributeRuleInput = Type.Object(
  {
    alias: Word(200, 'Name of the attribute in the feed, case-insensitive'),
    name: Type.Optional(
      Nullable(
        Type.String({ maxLength: 200, description: 'Name to use instead; required unless `ignore` is true' }),
      ),
    ),
    ignore: Type.Optional(Type.Boolean({ description: 'Whether to drop the attribute' })),
  },
  {
    $id: 'AttributeRuleInput',
    description: 'A rule to write; an absent field keeps its value',
    examples: [EXAMPLE],
  },
)
export type AttributeRuleInput = Static<typeof AttributeRuleInput>

/** Contract section 9, "Pipeline". */
export const AttributeRule = Type.Object(
  {
    id: described(Id, 'Id of the rule'),
    alias: Type.String({ description: 'Name of the attribute in the feed' }),
    name: Nullable(Type.String({ description: 'Name to use instead; null: none' })),
    ignore: Type.Boolean({ description: 'Whether the attribute is dropped' }),
    ...Edited.properties,
  },
  {
    $id: 'AttributeRule',
    description: 'How to treat an attribute of the feed',
    examples: [{ id: 4, ...EXAMPLE, ...Edited.examples?.[0] }],
  },
)
export type AttributeRule = Static<typeof AttributeRule>
