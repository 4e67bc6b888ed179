import { type Static, Type } from '@sinclair/typebox'
import { DisplayOrder, EDITED, Id, NamedObject, Nullable, optionalText, shown, Text, Word } from './common.ts'

const publicMembers = {
  title: Word(300, 'Title', 'Доставка за день'),
  description: optionalText(10_000, 'Text', 'По Москве — сегодня'),
  icon: optionalText(500, 'Name or URL of an icon', 'truck'),
  imageId: Type.Optional(Nullable(Id('Id of its image; null: none'))),
  linkUrl: optionalText(2000, 'A path in the shop or an http(s) URL', '/delivery'),
  displayOrder: Type.Optional(DisplayOrder),
}
const Active = Type.Boolean({ description: 'Whether the storefront shows it' })

export const FeatureItemInput = NamedObject(
  'FeatureItemInput',
  'A feature to write; an absent field keeps its value',
  { ...publicMembers, active: Type.Optional(Active) },
)
export type FeatureItemInput = Static<typeof FeatureItemInput>

export const PublicFeatureItem = NamedObject('PublicFeatureItem', 'A feature as the storefront shows it', {
  id: Id('Id of the feature'),
  ...shown(publicMembers),
  imageUrl: Nullable(Text('Path of its image')),
})
export type PublicFeatureItem = Static<typeof PublicFeatureItem>

/** Contract section 7. */
export const FeatureItem = NamedObject('FeatureItem', 'A feature as staff see it', {
  ...PublicFeatureItem.properties,
  active: Active,
  ...EDITED,
})
export type FeatureItem = Static<typeof FeatureItem>
