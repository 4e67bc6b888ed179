import { buffer } from 'node:stream/consumers'
import type { ImageRow } from '../../../db/tables/images.ts'
import type { Deps } from '../../deps.ts'
import { IMAGE_FORMATS, type VariantFormat, type VariantWidth } from '../../rules/media/formats.ts'
import { originalKey } from './store.ts'

export type Variant = { width: VariantWidth; format: VariantFormat }

type VariantDeps = Pick<Deps, 'storage' | 'pictures' | 'drawing' | 'cached' | 'log'>

/**
 * A variant: from memory, as it was kept, or else drawn and kept. Who wants the same one meanwhile shares that; two
 * instances may both draw it, which does no harm. What lies under a key never changes.
 * @returns null when the original is gone
 * @throws AppError 503 when too many are waiting to be drawn, or the storage is down
 */
export function readVariant(
  deps: VariantDeps,
  row: ImageRow,
  variant: Variant,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const key = `${row.storage_key}/${variant.width}.${IMAGE_FORMATS[variant.format].extension}`
  const load = async (nobodyWaits: AbortSignal) =>
    (await readObject(deps, key)) ?? drawVariant(deps, row, variant, key, nobodyWaits)
  return deps.drawing.run(key, (signal) => deps.cached.variants.get(key, () => load(signal)), signal)
}

async function drawVariant(
  { storage, pictures, log }: VariantDeps,
  { storage_key }: ImageRow,
  { width, format }: Variant,
  key: string,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const original = () => readObject({ storage }, originalKey(storage_key))
  const drawn = await pictures.draw(original, width, format, signal)
  const { contentType } = IMAGE_FORMATS[format]
  // Who waits gets it anyway; when it isn't kept, the next one draws it again.
  if (drawn) {
    await storage.put(key, drawn, { contentType }).catch((error: unknown) => {
      log.warn({ err: error, key }, 'variant of an image not kept')
    })
  }
  return drawn
}

async function readObject({ storage }: Pick<Deps, 'storage'>, key: string): Promise<Buffer | null> {
  const found = await storage.open(key)
  return found && buffer(found.body)
}
