import { type Static, Type } from '@sinclair/typebox'
import { EDITED, FreeText, Id, NamedObject, Nullable, shown, Word } from './common.ts'

const members = {
  alias: Word(200, 'Name that the supplier gives the attribute, case-insensitive', 'Мощн., Вт'),
  name: Type.Optional(
    Nullable(FreeText(200, 'Name to use instead; required unless `ignore` is true', 'Мощность')),
  ),
  ignore: Type.Optional(Type.Boolean({ description: 'Whether to drop the attribute' })),
}

export const AttributeRuleInput = NamedObject(
  'AttributeRuleInput',
  'A rule to write; an absent field keeps its value',
  members,
)
export type AttributeRuleInput = Static<typeof AttributeRuleInput>

/** Contract section 9, "Pipeline". */
export const AttributeRule = NamedObject('AttributeRule', 'How to treat an attribute of the supplier', {
  id: Id('Id of the rule'),
  ...shown(members),
  ...EDITED,
})
export type AttributeRule = Static<typeof AttributeRule>
