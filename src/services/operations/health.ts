import { setTimeout } from 'node:timers/promises'
import { acceptsWrites } from '../../../db/queries/operations/figures.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'

const CHECK_TIMEOUT_MS = 2000

/**
 * Checks that database and storage accept writes (contract section 11).
 * @param draining the server is about to stop
 * @throws AppError 503 that names the failed part
 */
export async function checkReadiness({ db, storage, checkDataDir }: Deps, draining: boolean) {
  if (draining) throw new AppError(503, 'UNAVAILABLE', 'The service is stopping')
  const parts: [string, Promise<unknown>][] = [
    ['database', acceptsWrites(db).then(refuseReadOnly)],
    ['storage', checkDataDir().then(storage.check)],
  ]
  const checks = parts.map(async ([part, check]) => {
    try {
      await Promise.race([check, rejectInTime()])
    } catch (cause) {
      throw new AppError(503, 'UNAVAILABLE', `The ${part} does not answer or is read-only`, { cause })
    }
  })
  await Promise.all(checks)
  return { status: 'UP' as const }
}

function refuseReadOnly(writable: boolean): void {
  if (!writable) throw new Error('The database is read-only')
}

async function rejectInTime(): Promise<never> {
  await setTimeout(CHECK_TIMEOUT_MS, undefined, { ref: false })
  throw new Error(`No answer within ${CHECK_TIMEOUT_MS / 1000} s`)
}
