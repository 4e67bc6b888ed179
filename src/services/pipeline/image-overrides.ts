import * as queries from '../../../db/queries/pipeline/images.ts'
import type { Deps } from '../../deps.ts'
import { distinctUrls } from '../../rules/pipeline/image-urls.ts'
import { ImageOverride, type ImageOverrideInput } from '../../schemas/image-overrides.ts'
import type { RecordKind } from '../records.ts'
import { toWire } from '../wire.ts'

/** An override takes effect when the product's images are fetched next. */
export const IMAGE_OVERRIDES: RecordKind<'product_image_overrides', ImageOverride, ImageOverrideInput> = {
  table: 'product_image_overrides',
  name: 'image override',
  entity: 'IMAGE_OVERRIDE',
  toWire: (row) => toWire(ImageOverride, row),
  toValues: ({ productId, mode, urls }) => ({ product_id: productId, mode, urls: distinctUrls(urls) }),
  references: { product_image_overrides_product_fkey: 'productId' },
  conflicts: {
    product_image_overrides_product_key: ['PRODUCT_OVERRIDDEN', 'The product already has an override'],
  },
}

/** Lists image overrides by id. */
export async function listImageOverrides(
  { db }: Deps,
  productId: number | undefined,
): Promise<ImageOverride[]> {
  return (await queries.listImageOverrides(db, productId ?? null)).map(IMAGE_OVERRIDES.toWire)
}
