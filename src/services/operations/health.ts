import { access, constants } from 'node:fs/promises'
import { takesWrites } from '../../../db/queries/operations/health.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'

const PATIENCE_MS = 2000

/**
 * Whether requests can be served: database and storage answer and can be written (contract section 11).
 * @param draining the server is about to stop
 * @throws AppError 503 that names the part that is down
 */
export async function checkReadiness(
  { db, config, log, storage }: Pick<Deps, 'db' | 'config' | 'log' | 'storage'>,
  draining: boolean,
) {
  if (draining) throw new AppError(503, 'UNAVAILABLE', 'The service is stopping')
  const parts: [string, Promise<unknown>][] = [
    ['database', takesWrites(db).then(refuseUnwritable)],
    ['storage', access(config.dataDir, constants.W_OK).then(storage.check)],
  ]
  for (const [part, check] of parts)
    check.catch((error: unknown) => log.warn({ err: error, part }, 'not ready'))
  for (const [part, check] of parts) {
    if (!(await succeedsInTime(check)))
      throw new AppError(503, 'UNAVAILABLE', `The ${part} does not answer, or can't be written`)
  }
  return { status: 'UP' as const }
}

function refuseUnwritable(writable: boolean): void {
  if (!writable) throw new Error('The database is read-only')
}

async function succeedsInTime(check: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false)
  })
  const outcome = check.then(
    () => true,
    () => false,
  )
  return Promise.race([outcome, patience]).finally(() => clearTimeout(timer))
}
