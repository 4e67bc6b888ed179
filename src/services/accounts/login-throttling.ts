import { hash } from 'node:crypto'
import { deleteLoginBlock, findLoginBlocks } from '../../../db/queries/accounts/login-blocks.ts'
import {
  addToCounters,
  type Counter,
  isKnownNetwork,
  readCounters,
  recordLogin,
} from '../../../db/queries/accounts/rate-limits.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { clientNetwork, loginCounter, loginNetwork } from '../../rules/accounts/client-address.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { write } from '../../runtime/write.ts'
import type { LoginBlock } from '../../schemas/users.ts'
import { refuseIfAny } from './rate-limits.ts'

const WINDOW_MS = 15 * 60_000

/** `address` is the client's; `user` is undefined for an unknown email. */
type LoginAttempt = { email: string; address: string; user: UserRow | undefined; password: string }

/**
 * Verifies a password unless there were too many failures in the last 15 minutes: for this email from this address,
 * from this address, or for this email, the latter except from networks where the user has logged in before
 * (contract section 3). Limits are checked again after the hash, so that concurrent attempts gain nothing.
 * @throws AppError 429 at a limit, or when the address has too many attempts waiting
 */
export function verifyPassword(deps: Deps, attempt: LoginAttempt): Promise<boolean> {
  return deps.passwordQueue.run(clientNetwork(attempt.address), () => verifyWithinLimits(deps, attempt))
}

async function verifyWithinLimits(deps: Deps, attempt: LoginAttempt): Promise<boolean> {
  const { db, log } = deps
  const { user, address, password } = attempt
  const network = loginNetwork(address)
  // Also queried for unknown emails, so that they take the same time.
  const isKnown = await isKnownNetwork(db, user?.id ?? 0, network)
  const email = hashEmail(attempt.email)
  const limits = limitsOf(email, address, deps.config.rateLimits)
  const keys = [...limits.keys()]
  if (isKnown) limits.delete(loginCounter.email(email))
  const logged = { address, email: email.slice(0, 16) }

  function checkLimits(counters: Counter[], isExceeded: (count: number, limit: number) => boolean): void {
    const exceeded = counters.filter(({ key, count }) =>
      isExceeded(count, limits.get(key) ?? Number.POSITIVE_INFINITY),
    )
    if (exceeded.length > 0) log.info(logged, 'login refused after too many failures')
    refuseIfAny(exceeded)
  }

  const isReached = (count: number, limit: number) => count >= limit
  checkLimits(await readCounters(db, keys), isReached)
  const isRight = await deps.passwords.match(password, user?.password_hash)
  if (isRight && user) {
    checkLimits(await readCounters(db, keys), isReached)
    // A read-only database must not prevent logins.
    await recordLogin(db, user.id, network).catch((error: unknown) =>
      log.warn({ err: error }, 'login network not recorded'),
    )
    return true
  }
  log.info(logged, 'login failed')
  checkLimits(await addToCounters(db, keys, WINDOW_MS), (count, limit) => count > limit)
  return false
}

/** Hashed, as neither the table nor the log should contain personal data. */
export function hashEmail(email: string): string {
  return hash('sha256', email.trim().toLowerCase())
}

/** The limit of each counter; 0 means no limit. */
function limitsOf(email: string, address: string, limits: Deps['config']['rateLimits']): Map<string, number> {
  const network = clientNetwork(address)
  const all: [string, number][] = [
    [loginCounter.pair(email, network), limits.loginPair],
    [loginCounter.address(network), limits.loginAddress],
    [loginCounter.email(email), limits.loginEmail],
  ]
  return new Map(all.filter(([, limit]) => limit > 0))
}

/** Lists the limits of failed logins that are reached, those that end last first (contract section 11, "Repairs"). */
export async function listLoginBlocks({ db, config }: Deps): Promise<LoginBlock[]> {
  const { loginPair, loginAddress, loginEmail } = config.rateLimits
  const blocks = await findLoginBlocks(db, { PAIR: loginPair, ADDRESS: loginAddress, EMAIL: loginEmail })
  return blocks.map(({ resets_at, ...block }) => ({ ...block, until: resets_at.toISOString() }))
}

/** Lets logins through again at once, on every instance. @throws AppError 404 */
export async function liftLoginBlock(deps: Deps, actor: Actor, id: string): Promise<void> {
  await write(deps, async (tx) => {
    const lifted = found(await deleteLoginBlock(tx.db, id), 'login block')
    tx.audit({ actor, entity: 'LOGIN_BLOCK', entityId: id, before: { failures: lifted.count }, after: null })
  })
}
