import type { Change, ChangeKind } from '../changes/changes.ts'

/** Changed ids by kind; null: any. */
export type Batch = ReadonlyMap<ChangeKind, Change['ids']>

/** Per kind; beyond that, any record of the kind may have changed. */
const MAX_IDS = 5000

/**
 * Batches changes: the first ones are handled at once, those that follow together after the interval, one batch at a time.
 * @param handle must not reject
 * @returns adds changes
 */
export function createBatches(
  intervalMs: number,
  handle: (batch: Batch) => Promise<void>,
): (changes: Change[]) => void {
  let batch = new Map<ChangeKind, Set<number | string> | null>()
  let isScheduled = false
  let restUntil = 0

  function schedule(): void {
    if (isScheduled || batch.size === 0) return
    isScheduled = true
    setTimeout(run, Math.max(0, restUntil - performance.now())).unref()
  }

  async function run(): Promise<void> {
    const due = batch
    batch = new Map()
    restUntil = performance.now() + intervalMs
    await handle(due)
    isScheduled = false
    schedule()
  }

  return (changes) => {
    for (const { kind, ids } of changes) {
      const known = batch.get(kind)
      if (ids === null || known === null || (known?.size ?? 0) + ids.size > MAX_IDS) batch.set(kind, null)
      else if (known) for (const id of ids) known.add(id)
      else batch.set(kind, new Set(ids))
    }
    schedule()
  }
}
