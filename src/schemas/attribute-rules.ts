import { type Static, Type } from '@sinclair/typebox'
import { described, Edited, FreeText, Id, NamedObject, Nullable, Text, Word } from './common.ts'

export const AttributeRuleInput = NamedObject(
  'AttributeRuleInput',
  'A rule to write; an absent field keeps its value',
  {
    alias: Word(200, 'Name that the supplier gives the attribute, case-insensitive', 'Мощн., Вт'),
    name: Type.Optional(
      Nullable(FreeText(200, 'Name to use instead; required unless `ignore` is true', 'Мощность')),
    ),
    ignore: Type.Optional(Type.Boolean({ description: 'Whether to drop the attribute' })),
  },
)
export type AttributeRuleInput = Static<typeof AttributeRuleInput>

/** Contract section 9, "Pipeline". */
export const AttributeRule = NamedObject('AttributeRule', 'How to treat an attribute of the supplier', {
  id: described(Id, 'Id of the rule'),
  alias: Text('Name that the supplier gives the attribute', 'Мощн., Вт'),
  name: Nullable(Text('Name to use instead; null: none', 'Мощность')),
  ignore: Type.Boolean({ description: 'Whether the attribute is dropped' }),
  ...Edited.properties,
})
export type AttributeRule = Static<typeof AttributeRule>
