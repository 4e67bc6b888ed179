import { setTimeout as delay } from 'node:timers/promises'
import { claimUndrawn } from '../../../db/queries/media/images.ts'
import type { ImageRow } from '../../../db/tables/images.ts'
import type { Deps } from '../../deps.ts'
import { widthOfVariant } from '../../rules/media/downloads.ts'
import { formatOf, type VariantWidth } from '../../rules/media/formats.ts'
import { readVariant } from './variants.ts'

/** Lists, product pages and large screens; in AVIF, which almost every browser accepts. */
const WIDTHS: VariantWidth[] = [320, 640, 960]
/** A crash loses what it claimed; those variants are drawn on request. */
const BATCH_SIZE = 10

/**
 * Draws the common variants of new and replaced images, newest first, when no client waits for a variant. It rests
 * as long as each image took.
 */
export async function drawVariantsAhead(deps: Deps): Promise<void> {
  for (;;) {
    if (deps.tasks.stopping) return
    const claimed = await claimUndrawn(deps.db, BATCH_SIZE)
    if (claimed.length === 0) return
    await deps.tasks.run(async (signal) => {
      for (const row of claimed) {
        const startedAt = performance.now()
        await drawAhead(deps, row, signal)
        await delay(performance.now() - startedAt, undefined, { signal }).catch(() => {})
        if (signal.aborted) return
      }
    })
  }
}

async function drawAhead(deps: Deps, row: ImageRow, signal: AbortSignal): Promise<void> {
  if (formatOf(row.content_type) === undefined) return
  try {
    for (const width of new Set(WIDTHS.map((wanted) => widthOfVariant(wanted, row.width)))) {
      await readVariant(deps, row, { width, format: 'avif' }, { signal })
    }
  } catch (error) {
    if (!signal.aborted) deps.log.warn({ err: error, id: row.id }, 'image variants not drawn ahead')
  }
}
