import { setTimeout as delay } from 'node:timers/promises'
import { type DatabaseFault, databaseFault } from '../../db/errors.ts'

const MAX_ATTEMPTS = 3
/** Conflicts with concurrent edits: a deadlock, a slug that was taken, a row that was deleted. */
const TRANSIENT_FAULTS: (DatabaseFault | null)[] = ['RETRYABLE', 'DUPLICATE', 'MISSING_REFERENCE']

/** Repeats a transaction that failed because of a concurrent one. */
export async function retryOnConflict<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !TRANSIENT_FAULTS.includes(databaseFault(error))) throw error
    }
  }
}

const STORE_RETRY_MS = 3000

/**
 * Stores what has happened outside of the database, however long the database is away.
 * @param store may run again although an earlier commit succeeded, whose answer was lost
 * @param onFailure is told why it is repeated
 * @throws what `store` throws once the signal is aborted
 */
export async function storeOutcome<T>(
  store: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (err: unknown) => void,
): Promise<T> {
  for (;;) {
    try {
      return await store()
    } catch (error) {
      if (databaseFault(error) !== 'UNAVAILABLE' || signal.aborted) throw error
      onFailure(error)
      await delay(STORE_RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
}
