import { buffer } from 'node:stream/consumers'
import type { ImageRow } from '../../../db/tables/images.ts'
import type { Deps } from '../../deps.ts'
import { IMAGE_FORMATS, type VariantFormat, type VariantWidth } from '../../rules/media/formats.ts'
import { originalKey } from './store.ts'

export type Variant = { width: VariantWidth; format: VariantFormat }

export function variantKey({ storage_key }: ImageRow, { width, format }: Variant): string {
  return `${storage_key}/${width}.${IMAGE_FORMATS[format].extension}`
}

/**
 * Draws a variant and keeps it; who wants the same one meanwhile gets the same. Two instances may both do it, which
 * does no harm.
 * @returns null when the original is gone
 * @throws AppError 503 when too many are waiting, or the storage is down
 */
export function makeVariant(
  { storage, pictures, drawing, log }: Pick<Deps, 'storage' | 'pictures' | 'drawing' | 'log'>,
  row: ImageRow,
  variant: Variant,
  gone: AbortSignal,
): Promise<Buffer | null> {
  const key = variantKey(row, variant)
  async function readOriginal(): Promise<Buffer | null> {
    const found = await storage.open(originalKey(row.storage_key))
    return found && buffer(found.body)
  }
  async function make(nobodyWaits: AbortSignal): Promise<Buffer | null> {
    const drawn = await pictures.draw(readOriginal, variant.width, variant.format, nobodyWaits)
    const contentType = IMAGE_FORMATS[variant.format].contentType
    // Who waits gets it anyway; the next one draws it again.
    if (drawn) {
      await storage.put(key, drawn, { contentType }).catch((error: unknown) => {
        log.warn({ err: error, key }, 'variant of an image not kept')
      })
    }
    return drawn
  }
  return drawing.share(key, make, gone)
}
