import { type Static, Type } from '@sinclair/typebox'
import { OVERRIDE_MODES } from '../../db/tables/scraping.ts'
import { described, Edited, Enum, Id, ref } from './common.ts'

export const ImageOverrideMode = Enum(OVERRIDE_MODES, {
  $id: 'ImageOverrideMode',
  description: "Whether to replace the images of the product's page, or to append to them",
})

const URLS = {
  urls: Type.Array(Type.String({ minLength: 1, maxLength: 2000, description: 'An http(s) URL' }), {
    minItems: 1,
    maxItems: 50,
    description: 'URLs of the images, in order',
    examples: [['https://cdn.example.com/pe-1400-case.jpg']],
  }),
}
const EXAMPLE = { productId: 1160, mode: 'APPEND', urls: ['https://cdn.example.com/pe-1400-case.jpg'] }

export const ImageOverrideInput = Type.Object(
  {
    productId: described(Id, 'Id of the product'),
    mode: ref(ImageOverrideMode),
    ...URLS,
  },
  { $id: 'ImageOverrideInput', description: 'Images to set for a product', examples: [EXAMPLE] },
)
export type ImageOverrideInput = Static<typeof ImageOverrideInput>

/** Contract section 9. */
export const ImageOverride = Type.Object(
  { id: described(Id, 'Id of the override'), ...ImageOverrideInput.properties, ...Edited.properties },
  {
    $id: 'ImageOverride',
    description: 'Images that staff set for a product',
    examples: [{ id: 7, ...EXAMPLE, ...Edited.examples?.[0] }],
  },
)
export type ImageOverride = Static<typeof ImageOverride>

export const ImageOverrideQuery = Type.Object({
  productId: Type.Optional(described(Id, 'Only the override of this product')),
})
