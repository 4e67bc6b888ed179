import { createHash } from 'node:crypto'
import { addToCounters, type Counter, readCounters } from '../../../db/queries/accounts/limits.ts'
import type { Deps } from '../../deps.ts'
import { rateLimited } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'

const WINDOW_MS = 15 * 60_000

/** Who guesses (the address of the client) at whose password. */
export type Guess = { email: string; address: string }

/**
 * Lets a password be tried unless too many were wrong in the last 15 minutes: for this email from this address, from
 * this address, or for this email (contract section 3). Only wrong ones count.
 * @throws a 429 once a limit is reached. What is tried while others are under way is held against the limits again
 * afterwards, so that guesses sent all at once learn no more than those sent one by one.
 */
export async function limitGuesses(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  guess: Guess,
  isRight: () => Promise<boolean>,
): Promise<boolean> {
  const limits = limitsOf(guess, config.rateLimits)
  const keys = [...limits.keys()]
  const reached = ({ key, count }: Counter) => count >= (limits.get(key) ?? Number.POSITIVE_INFINITY)
  const exceeded = ({ key, count }: Counter) => count > (limits.get(key) ?? Number.POSITIVE_INFINITY)

  refuseIfAny((await readCounters(db, keys)).filter(reached))
  const right = await isRight()
  if (right) refuseIfAny((await readCounters(db, keys)).filter(reached))
  else refuseIfAny((await addToCounters(db, keys, WINDOW_MS)).filter(exceeded))
  return right
}

/** The limit of each counter that the guess belongs to; those that are off are left out. */
function limitsOf(guess: Guess, limits: Deps['config']['rateLimits']): Map<string, number> {
  const network = clientNetwork(guess.address)
  // Hashed: the table is no place to read our customers' addresses.
  const email = createHash('sha256').update(guess.email.trim().toLowerCase()).digest('hex')
  const all: [string, number][] = [
    [`login:pair:${email}:${network}`, limits.loginPair],
    [`login:address:${network}`, limits.loginAddress],
    [`login:email:${email}`, limits.loginEmail],
  ]
  return new Map(all.filter(([, limit]) => limit > 0))
}

function refuseIfAny(counters: Counter[]): void {
  if (counters.length === 0) return
  throw rateLimited(Math.max(...counters.map(({ msLeft }) => msLeft)))
}
