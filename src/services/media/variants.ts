import { buffer } from 'node:stream/consumers'
import type { ImageRow } from '../../../db/tables/images.ts'
import type { Deps } from '../../deps.ts'
import { IMAGE_FORMATS, type VariantFormat, type VariantWidth } from '../../rules/media/formats.ts'
import type { Callers } from '../../runtime/concurrency/fair-queue.ts'
import type { Caller } from '../../runtime/concurrency/single-flight.ts'
import { originalKey } from './store.ts'

export type Variant = { width: VariantWidth; format: VariantFormat }

export type VariantDeps = Pick<Deps, 'storage' | 'imageWorker' | 'variantFlights' | 'cached' | 'log'>

/**
 * Returns a variant from the cache or the storage, or draws and stores it. Concurrent requests share the work; two
 * instances may draw the same variant, with the same result.
 * @returns null when the original was deleted
 * @throws AppError 429 when too many variants for the caller's address are waiting to be drawn; 503 when too many are in
 *   all, or the storage is down
 */
export function readVariant(
  deps: VariantDeps,
  row: ImageRow,
  variant: Variant,
  caller: Caller,
): Promise<Buffer | null> {
  const key = `${row.storage_key}/${variant.width}.${IMAGE_FORMATS[variant.format].extension}`
  return deps.variantFlights.run(
    key,
    (signal, callers) =>
      deps.cached.variants.get(key, async () => {
        const found = await readObject(deps, key)
        return found ?? drawVariant(deps, row, variant, key, { callers, signal })
      }),
    caller,
  )
}

async function drawVariant(
  { storage, imageWorker, log }: VariantDeps,
  { storage_key }: ImageRow,
  { width, format }: Variant,
  key: string,
  { callers, signal }: { callers: Callers; signal: AbortSignal },
): Promise<Buffer | null> {
  const original = () => readObject({ storage }, originalKey(storage_key))
  const drawn = await imageWorker.draw(original, width, format, callers, signal)
  const { contentType } = IMAGE_FORMATS[format]
  // A variant that isn't stored is drawn again by a later request.
  if (drawn) {
    await storage.put(key, drawn, { contentType }).catch((error: unknown) => {
      log.warn({ err: error, key }, 'image variant not stored')
    })
  }
  return drawn
}

async function readObject({ storage }: Pick<Deps, 'storage'>, key: string): Promise<Buffer | null> {
  const found = await storage.open(key)
  return found && buffer(found.body)
}
