import { type Static, Type } from '@sinclair/typebox'
import { OVERRIDE_MODES } from '../../db/tables/scraping.ts'
import * as t from './common.ts'

const ImageOverrideMode = t.NamedEnum(
  'ImageOverrideMode',
  "Whether the URLs replace the images of the product's page or are appended to them",
  OVERRIDE_MODES,
)

export const ImageUrls = Type.Array(t.HttpUrl(), {
  minItems: 1,
  maxItems: 50,
  description: 'URLs of the images, in display order',
  examples: [['https://cdn.example.com/pe-1400-case.jpg']],
})

export const ImageOverrideInput = t.NamedObject('ImageOverrideInput', 'Images to set for a product', {
  productId: t.Id('Id of the product'),
  mode: t.ref(ImageOverrideMode),
  urls: ImageUrls,
})
export type ImageOverrideInput = Static<typeof ImageOverrideInput>

export const ImageOverride = t.NamedObject('ImageOverride', 'Images that staff set for a product', {
  id: t.Id('Id of the override'),
  ...ImageOverrideInput.properties,
  ...t.EDITED,
})
export type ImageOverride = Static<typeof ImageOverride>
