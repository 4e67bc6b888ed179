import { violates } from '../../../db/errors.ts'
import * as queries from '../../../db/queries/pipeline/images.ts'
import type { ProductImageOverrideRow } from '../../../db/tables/scraping.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict } from '../../errors.ts'
import { readImageUrls } from '../../rules/pipeline/image-urls.ts'
import type { Target } from '../../rules/versions.ts'
import type { ImageOverride, ImageOverrideInput } from '../../schemas/image-overrides.ts'
import { changeRecord, createRecord, type RecordKind, type WriteDeps } from '../content/records.ts'

export const IMAGE_OVERRIDES: RecordKind<'product_image_overrides', ImageOverride> = {
  table: 'product_image_overrides',
  name: 'image override',
  entity: 'IMAGE_OVERRIDE',
  change: null,
  toWire: toOverride,
  references: { product_image_overrides_product_fkey: 'productId' },
}

/** In the order in which they were made. */
export async function listImageOverrides(
  { db }: Pick<Deps, 'db'>,
  productId: number | undefined,
): Promise<ImageOverride[]> {
  return (await queries.listImageOverrides(db, productId ?? null)).map(toOverride)
}

/** It counts when the product's images are fetched next. @throws AppError 400; 409 PRODUCT_OVERRIDDEN */
export function createImageOverride(
  deps: WriteDeps,
  actor: UserRow,
  input: ImageOverrideInput,
): Promise<ImageOverride> {
  const values = readOverride(input)
  return unlessThere(() => createRecord(deps, IMAGE_OVERRIDES, actor, values))
}

/** @throws AppError 400; 404; 409 PRODUCT_OVERRIDDEN; 412 STALE */
export function changeImageOverride(
  deps: WriteDeps,
  actor: UserRow,
  target: Target,
  input: ImageOverrideInput,
): Promise<ImageOverride> {
  const values = readOverride(input)
  return unlessThere(() => changeRecord(deps, IMAGE_OVERRIDES, actor, target, values))
}

function readOverride({ productId, mode, urls }: ImageOverrideInput) {
  return { product_id: productId, mode, urls: readImageUrls(urls) }
}

async function unlessThere(work: () => Promise<ImageOverride>): Promise<ImageOverride> {
  try {
    return await work()
  } catch (error) {
    if (!violates(error, 'product_image_overrides_product_key')) throw error
    throw conflict('PRODUCT_OVERRIDDEN', 'The product has an override already')
  }
}

function toOverride(row: ProductImageOverrideRow): ImageOverride {
  return {
    id: row.id,
    productId: row.product_id,
    mode: row.mode,
    urls: row.urls,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
