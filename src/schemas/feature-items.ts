import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'

const members = {
  title: t.NonBlank(300, 'Title', 'Доставка за день'),
  description: t.optionalText(10_000, 'Text', 'По Москве — сегодня'),
  icon: t.optionalText(500, 'Name or URL of an icon', 'truck'),
  imageId: Type.Optional(t.Nullable(t.Id('Id of its image; null: none'))),
  linkUrl: t.optionalLink('/delivery'),
  displayOrder: Type.Optional(t.DisplayOrder),
}
const active = Type.Boolean({ description: 'Whether the storefront may show it' })

export const FeatureItemInput = t.NamedObject(
  'FeatureItemInput',
  'A feature to write; absent fields keep their values',
  { ...members, active: Type.Optional(active) },
)
export type FeatureItemInput = Static<typeof FeatureItemInput>

export const FeatureItem = t.NamedObject('FeatureItem', 'A feature as the public sees it', {
  id: t.Id('Id of the feature'),
  ...t.required(members),
  imageUrl: t.Nullable(t.Text('Path of its image')),
})
export type FeatureItem = Static<typeof FeatureItem>

export const FeatureItems = t.List(FeatureItem, 'The features')

export const StaffFeatureItem = t.NamedObject('StaffFeatureItem', 'A feature as staff see it', {
  ...FeatureItem.properties,
  active,
  ...t.EDITED,
})
export type StaffFeatureItem = Static<typeof StaffFeatureItem>
