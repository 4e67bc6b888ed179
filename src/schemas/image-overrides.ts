import { type Static, Type } from '@sinclair/typebox'
import { OVERRIDE_MODES } from '../../db/tables/scraping.ts'
import { described, Edited, Enum, Id, ref } from './common.ts'

export const ImageOverrideMode = Enum(OVERRIDE_MODES, {
  $id: 'ImageOverrideMode',
  description: "Instead of the images of the product's page, or after them",
})

const URLS = {
  urls: Type.Array(Type.String({ minLength: 1, maxLength: 2000, description: 'An http(s) address' }), {
    minItems: 1,
    maxItems: 50,
    description: 'Where the images are, in their order',
    examples: [['https://cdn.example.com/pe-1400-case.jpg']],
  }),
}
const EXAMPLE = { productId: 1160, mode: 'APPEND', urls: ['https://cdn.example.com/pe-1400-case.jpg'] }

export const ImageOverrideInput = Type.Object(
  {
    productId: described(Id, 'Whose images they are'),
    mode: ref(ImageOverrideMode),
    ...URLS,
  },
  { $id: 'ImageOverrideInput', description: 'Images that staff choose for a product', examples: [EXAMPLE] },
)
export type ImageOverrideInput = Static<typeof ImageOverrideInput>

/** Contract section 9. */
export const ImageOverride = Type.Object(
  { id: described(Id, 'Id of the override'), ...ImageOverrideInput.properties, ...Edited.properties },
  {
    $id: 'ImageOverride',
    description: 'Images that staff chose for a product',
    examples: [{ id: 7, ...EXAMPLE, ...Edited.examples?.[0] }],
  },
)
export type ImageOverride = Static<typeof ImageOverride>

export const ImageOverrideQuery = Type.Object({
  productId: Type.Optional(described(Id, 'Only that of this product')),
})
