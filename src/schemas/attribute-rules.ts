import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'

const attributeRule = {
  alias: t.NonBlankLine(200, 'Name that the supplier gives the attribute, case-insensitive', 'Мощн., Вт'),
  name: Type.Optional(t.Nullable(t.FreeText(200, 'Name to use instead; required unless `ignore` is true', 'Мощность'))),
  ignore: Type.Optional(Type.Boolean({ description: 'Whether to drop the attribute' })),
}

export const AttributeRuleInput = t.NamedObject(
  'AttributeRuleInput',
  'A rule to write; absent fields keep their values',
  attributeRule,
)
export type AttributeRuleInput = Static<typeof AttributeRuleInput>

export const AttributeRule = t.NamedObject('AttributeRule', 'How to treat an attribute of the supplier', {
  id: t.Id('Id of the rule'),
  ...t.required(attributeRule),
  ...t.EDITED,
})
export type AttributeRule = Static<typeof AttributeRule>
