import { access, constants } from 'node:fs/promises'
import { ping } from '../../../db/queries/operations/health.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'

const PATIENCE_MS = 2000

/**
 * Whether requests can be served: the database answers and the storage can be written (contract section 11).
 * @throws AppError 503 that names the part that is down
 */
export async function checkReadiness({ db, config, log }: Pick<Deps, 'db' | 'config' | 'log'>) {
  const parts: [string, Promise<unknown>][] = [
    ['database', ping(db)],
    ['storage', access(config.dataDir, constants.W_OK)],
  ]
  for (const [part, check] of parts)
    check.catch((error: unknown) => log.warn({ err: error, part }, 'not ready'))
  for (const [part, check] of parts) {
    if (!(await succeedsInTime(check))) throw new AppError(503, 'UNAVAILABLE', `The ${part} does not answer`)
  }
  return { status: 'UP' as const }
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
