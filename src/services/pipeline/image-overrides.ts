import { violates } from '../../../db/errors.ts'
import * as rows from '../../../db/queries/pipeline/image-overrides.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, invalid, missingRecord } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { ImageOverride, ImageOverrideInput } from '../../schemas/image-overrides.ts'

export async function listImageOverrides({ db }: Deps): Promise<ImageOverride[]> {
  return (await rows.listImageOverrides(db)).map(toImageOverride)
}

/** An override takes effect when the product's images are fetched next. @throws AppError 400; 409 PRODUCT_OVERRIDDEN */
export function createImageOverride(deps: Deps, actor: Actor, input: ImageOverrideInput): Promise<ImageOverride> {
  return write(deps, async (tx) => {
    const after = toImageOverride(await rows.insertImageOverride(tx.db, toValues(input)).catch(explain))
    tx.audit({ actor, entity: 'IMAGE_OVERRIDE', entityId: after.id, before: null, after })
    return after
  })
}

/** @throws AppError 400; 404; 409 PRODUCT_OVERRIDDEN; 412 STALE */
export function updateImageOverride(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: ImageOverrideInput,
): Promise<ImageOverride> {
  return write(deps, async (tx) => {
    const row = await lockCurrent(tx, target)
    const before = toImageOverride(row)
    const values = toValues(input)
    if (!hasChanges(row, values)) return before
    const after = toImageOverride(await rows.updateImageOverride(tx.db, target.id, values).catch(explain))
    tx.audit({ actor, entity: 'IMAGE_OVERRIDE', entityId: target.id, before, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteImageOverride(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = toImageOverride(await lockCurrent(tx, target))
    await rows.deleteImageOverride(tx.db, target.id)
    tx.audit({ actor, entity: 'IMAGE_OVERRIDE', entityId: target.id, before, after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<rows.ImageOverrideRow> {
  const row = found(await rows.lockImageOverride(tx.db, id), 'image override')
  await refuseStale(ifMatch, row.version, () => toImageOverride(row))
  return row
}

function explain(error: unknown): never {
  if (violates(error, 'product_image_overrides_product_fkey')) throw invalid(missingRecord('productId'))
  if (!violates(error, 'product_image_overrides_product_key')) throw error
  throw conflict('PRODUCT_OVERRIDDEN', 'The product already has an override')
}

function toValues({ productId, mode, urls }: ImageOverrideInput) {
  return { product_id: productId, mode, urls: [...new Set(urls.map((url) => url.trim()))] }
}

function toImageOverride(row: rows.ImageOverrideRow): ImageOverride {
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
