import { buffer } from 'node:stream/consumers'
import { claimUndrawn } from '../../../db/queries/media/images.ts'
import type { ImageRow } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { widthOfVariant } from '../../rules/media/downloads.ts'
import { IMAGE_FORMATS, type VariantFormat, type VariantWidth } from '../../rules/media/formats.ts'
import type { VariantCaller } from '../../runtime/workers/images.ts'
import { originalKey } from './store.ts'

export type Variant = { width: VariantWidth; format: VariantFormat }

/**
 * Returns a variant from the cache or the storage, or draws and stores it, once for all who wait. Two instances may draw
 * the same variant, with the same result.
 * @returns null when the original was deleted
 * @throws AppError 429 when too many variants for the caller's address are waiting to be drawn; 503 when too many are in
 *   all, or the storage is down
 */
export async function readVariant(deps: Deps, row: ImageRow, variant: Variant, caller: VariantCaller) {
  const key = `${row.storage_key}/${variant.width}.${IMAGE_FORMATS[variant.format].extension}`
  const known = await deps.cached.variants.getAll([key], async () => {
    const stored = await readObject(deps, key)
    return new Map(stored && [[key, stored]])
  })
  const draw = () => deps.cached.variants.get(key, () => drawVariant(deps, row, variant, key))
  return known.get(key) ?? deps.imageWorker.queueVariant(caller, draw)
}

async function drawVariant(deps: Deps, { storage_key }: ImageRow, { width, format }: Variant, key: string) {
  const { storage, imageWorker, log } = deps
  const original = await readObject(deps, originalKey(storage_key))
  const drawn = original && (await imageWorker.draw(original, width, format))
  const { contentType } = IMAGE_FORMATS[format]
  // A variant that isn't stored is drawn again by a later request.
  if (drawn) {
    await storage.put(key, drawn, { contentType }).catch((error: unknown) => {
      log.warn({ err: error, key }, 'image variant not stored')
    })
  }
  return drawn
}

async function readObject({ storage }: Deps, key: string): Promise<Buffer | null> {
  const found = await storage.open(key)
  return found && buffer(found)
}

/** Lists, product pages and large screens; in AVIF, which almost every browser accepts. */
const WIDTHS: VariantWidth[] = [320, 640, 960]

/**
 * Draws the common variants of new and replaced images, newest first, when no client waits for a variant. The first failure
 * ends it, and the image isn't tried again: its variants are drawn on request.
 * @throws Error what keeps an image from being drawn, unless clients wait for variants, the storage is down or the process stops
 */
export async function drawVariantsAhead(deps: Deps): Promise<void> {
  const draw = async (signal: AbortSignal) => {
    for (let row = await claimUndrawn(deps.db); row !== undefined; row = await claimUndrawn(deps.db)) {
      const { width: original } = row
      for (const width of new Set(WIDTHS.map((wanted) => widthOfVariant(wanted, original))))
        await readVariant(deps, row, { width, format: 'avif' }, { signal })
    }
  }
  await deps.tasks.run(draw).catch((error: unknown) => {
    if (!deps.tasks.stopping && !(error instanceof AppError && error.status === 503)) throw error
  })
}
