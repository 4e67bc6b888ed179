import { createHash } from 'node:crypto'
import { addToCounters, type Counter, readCounters } from '../../../db/queries/accounts/limits.ts'
import { isHomeNetwork, noteLogin } from '../../../db/queries/accounts/login-networks.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { rateLimited } from '../../errors.ts'
import { clientNetwork, homeNetwork } from '../../rules/accounts/client-address.ts'

const WINDOW_MS = 15 * 60_000

export type GuessDeps = Pick<Deps, 'db' | 'config' | 'log' | 'passwords' | 'passwordQueue'>

/** Who guesses (the address of the client) at whose password: `user` is absent when nobody has the email. */
export type Guess = { email: string; address: string; user: UserRow | undefined; password: string }

/**
 * Whether the password is right. It is tried unless too many were wrong in the last 15 minutes: for this email from this
 * address, from this address, or for this email, unless the user is at home there (contract section 3). Only wrong ones
 * count.
 * @throws a 429 once a limit is reached, and when too many of this address are waiting. What is tried while others are
 * under way is held against the limits again afterwards, so that guesses sent all at once learn no more than those sent
 * one by one.
 */
export function guessPassword(deps: GuessDeps, guess: Guess): Promise<boolean> {
  return deps.passwordQueue.run(clientNetwork(guess.address), () => guessInTurn(deps, guess))
}

async function guessInTurn(deps: GuessDeps, guess: Guess): Promise<boolean> {
  const { db, log } = deps
  const { user, address, password } = guess
  const home = homeNetwork(address)
  // Also for an email that nobody has, so that it takes as long.
  const isHome = await isHomeNetwork(db, user?.id ?? 0, home)
  const email = hashOf(guess.email)
  const limits = limitsOf(email, address, deps.config.rateLimits)
  const keys = [...limits.keys()]
  const spared = isHome ? emailKey(email) : undefined
  const failed = { address, email: email.slice(0, 16) }

  function refuse(counters: Counter[], beyond: number): void {
    const reached = counters.filter(
      ({ key, count }) => key !== spared && count >= (limits.get(key) ?? Number.POSITIVE_INFINITY) + beyond,
    )
    if (reached.length === 0) return
    log.info(failed, 'login refused: too many wrong passwords')
    throw rateLimited(Math.max(...reached.map(({ msLeft }) => msLeft)))
  }

  refuse(await readCounters(db, keys), 0)
  const right = await deps.passwords.match(password, user?.password_hash)
  if (right && user) {
    refuse(await readCounters(db, keys), 0)
    // Who may read what is there, though nothing can be written, may log in for that.
    await noteLogin(db, user.id, home).catch((error: unknown) => log.warn({ err: error }, 'login not noted'))
    return true
  }
  log.info(failed, 'wrong password')
  refuse(await addToCounters(db, keys, WINDOW_MS), 1)
  return false
}

/** The table and the log are no places to read our customers' addresses. */
function hashOf(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
}

const emailKey = (email: string) => `login:email:${email}`

/** The limit of each counter that the guess belongs to; those that are off are left out. */
function limitsOf(email: string, address: string, limits: Deps['config']['rateLimits']): Map<string, number> {
  const network = clientNetwork(address)
  const all: [string, number][] = [
    [`login:pair:${email}:${network}`, limits.loginPair],
    [`login:address:${network}`, limits.loginAddress],
    [emailKey(email), limits.loginEmail],
  ]
  return new Map(all.filter(([, limit]) => limit > 0))
}
