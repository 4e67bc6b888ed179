import { hash } from 'node:crypto'
import type { Trx } from '../../../db/database.ts'
import * as queries from '../../../db/queries/accounts/rate-limits.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { rateLimited } from '../../errors.ts'
import { clientNetwork, loginCounter, loginNetwork, MAX_WRONG_CODES } from '../../rules/accounts/client-address.ts'
import { phoneKey } from '../../rules/phone.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'

/** The limits of counters, by their keys. */
type Limits = Map<string, number>

/** @param limits 0: no limit */
function limitsOf(limits: { [key: string]: number }): Limits {
  return new Map(Object.entries(limits).filter(([, limit]) => limit > 0))
}

/**
 * Counts a message or an order by its sender's address and phone, in the transaction that stores it, so that a rollback
 * undoes the count. The settings `contact_limit_*` or `order_limit_*` are the limits, 0 for none (docs/orders.md).
 * The window is part of the counters' keys, so that a changed one applies at once; their locks serialise the requests of one
 * sender.
 * @param address of the client
 * @throws AppError 429
 */
export async function countSender(
  trx: Trx,
  settings: SettingValues,
  kind: 'contact' | 'order',
  { phone, address }: { phone: string; address: string },
): Promise<void> {
  const minutes = Number(settings[`${kind}_limit_window_minutes`])
  // Hashed, as the table should not contain personal data.
  const phoneHash = hash('sha256', phoneKey(phone))
  const limits = limitsOf({
    [`${kind}:ip:${minutes}:${clientNetwork(address)}`]: Number(settings[`${kind}_limit_per_ip`]),
    [`${kind}:phone:${minutes}:${phoneHash}`]: Number(settings[`${kind}_limit_per_phone`]),
  })
  if (limits.size > 0) refuseBeyond(limits, await queries.addToCounters(trx, [...limits.keys()], minutes * 60_000))
}

/**
 * @param further how many more must be allowed
 * @throws AppError 429 when any counter would be beyond its limit
 */
function refuseBeyond(limits: Limits, counters: queries.Counter[], further = 0): void {
  const exceeded = counters.filter(({ key, count }) => count + further > (limits.get(key) ?? Number.POSITIVE_INFINITY))
  if (exceeded.length > 0) throw rateLimited(Math.max(...exceeded.map(({ msLeft }) => msLeft)))
}

const LOGIN_WINDOW_MS = 15 * 60_000

/** `address` is the client's; `user` is undefined for an unknown email. */
type LoginAttempt = { email: string; address: string; user: UserRow | undefined; password: string }

/**
 * Verifies a password unless there were too many failures in the last 15 minutes: for this email from this address,
 * from this address, or for this email, the latter except from networks where the user has logged in before
 * (docs/accounts.md).
 * @param proceed called with a right password; false, such as for a wrong code, counts as a failure, too
 * @throws AppError 429 at a limit, or when the address has too many attempts waiting
 */
export function verifyPassword(
  deps: Deps,
  attempt: LoginAttempt,
  proceed: (user: UserRow) => Promise<boolean> = async () => true,
): Promise<boolean> {
  return deps.passwordQueue.run(clientNetwork(attempt.address), () => verifyWithinLimits(deps, attempt, proceed))
}

async function verifyWithinLimits(
  deps: Deps,
  attempt: LoginAttempt,
  proceed: (user: UserRow) => Promise<boolean>,
): Promise<boolean> {
  const { db, log, config } = deps
  const { user, address, password } = attempt
  const client = clientNetwork(address)
  const network = loginNetwork(address)
  const email = hashEmail(attempt.email)
  const { loginPair, loginAddress, loginEmail } = config.rateLimits
  const limits = limitsOf({
    [loginCounter.pair(email, client)]: loginPair,
    [loginCounter.address(client)]: loginAddress,
    [loginCounter.email(email)]: loginEmail,
  })
  const keys = [...limits.keys()]
  // Also queried for unknown emails, so that they take the same time.
  if (await queries.isKnownNetwork(db, user?.id ?? 0, network)) limits.delete(loginCounter.email(email))

  refuseBeyond(limits, await queries.readCounters(db, keys), 1)
  const isRight = await deps.passwords.match(password, user?.password_hash)
  if (isRight && user) {
    // Checked again, as concurrent guesses may have reached the limit meanwhile: they must gain nothing.
    refuseBeyond(limits, await queries.readCounters(db, keys), 1)
    if (await proceed(user)) return true
  }
  log.info({ address, email: email.slice(0, 16) }, 'login failed')
  refuseBeyond(limits, await queries.addToCounters(db, keys, LOGIN_WINDOW_MS))
  return false
}

/**
 * Checks a code of a second factor, whose guesses are limited per account from everywhere. Each attempt is counted before the
 * check, so that concurrent ones can't exceed the limit; a right one is taken back.
 * @throws AppError 429 after too many wrong codes
 */
export async function withinCodeLimit(
  { db }: Deps,
  accountEmail: string,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const key = loginCounter.code(hashEmail(accountEmail))
  const limits = limitsOf({ [key]: MAX_WRONG_CODES })
  refuseBeyond(limits, await queries.addToCounters(db, [key], LOGIN_WINDOW_MS))
  const isRight = await check()
  if (isRight) await queries.takeFromCounter(db, key)
  return isRight
}

/** Hashed, as neither the table nor the log should contain personal data. */
export function hashEmail(email: string): string {
  return hash('sha256', email.trim().toLowerCase())
}
