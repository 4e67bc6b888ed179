import { lockWork } from '../../../db/locks.ts'
import { takeUnsanitized, updateDescriptions } from '../../../db/queries/catalogue/product-edits.ts'
import type { Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'

/** Products that are locked together. */
const BATCH_SIZE = 50

type Described = { description?: string | null }

/** Returns the records as they may be stored: with sanitised descriptions, null if nothing is left of one. */
export async function withSafeDescriptions<T extends Described>(
  { htmlSanitizer }: Pick<Deps, 'htmlSanitizer'>,
  records: T[],
): Promise<T[]> {
  // Without a `<` there is no markup.
  const unsafe = records.flatMap(({ description }) => (description?.includes('<') ? [description] : []))
  if (unsafe.length === 0) return records
  const safe = (await htmlSanitizer.sanitize(unsafe)).values()
  return records.map((record) =>
    record.description?.includes('<') ? { ...record, description: safe.next().value || null } : record,
  )
}

/** The same for one record. */
export async function withSafeDescription<T extends Described>(deps: Pick<Deps, 'htmlSanitizer'>, record: T) {
  const [safe = record] = await withSafeDescriptions(deps, [record])
  return safe
}

/** Sanitises what was stored before descriptions were sanitised when written. */
export async function sanitizeStoredDescriptions(
  deps: Pick<Deps, 'db' | 'changes' | 'htmlSanitizer'>,
  signal: AbortSignal,
): Promise<void> {
  for (let found = true; found; ) {
    signal.throwIfAborted()
    found = await write(deps, async (tx) => {
      await lockWork(tx.db, 'productRows')
      const stored = await takeUnsanitized(tx.db, BATCH_SIZE)
      tx.recordChange('product', await updateDescriptions(tx.db, await withSafeDescriptions(deps, stored)))
      return stored.length > 0
    })
  }
}
