import { createHash } from 'node:crypto'
import type { Db, Trx } from '../../../db/database.ts'
import { addToCounters, type Counter, readCounters } from '../../../db/queries/accounts/limits.ts'
import { rateLimited } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'
import { phoneKey } from '../../rules/phone.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'

/** The limit of each counter that a request belongs to, and the window in which they count. */
export type ContactLimits = { limits: Map<string, number>; windowMs: number }

/**
 * The limits of a sender, as the settings say now; those that are 0 are left out (contract section 6). The window is
 * part of a counter's name, so that a changed one counts from the next request on.
 * @param address of the client
 */
export function contactLimits(
  settings: SettingValues,
  { phone, address }: { phone: string; address: string },
): ContactLimits {
  const minutes = Number(settings.contact_limit_window_minutes)
  // Hashed: the table is no place to read our customers' numbers.
  const number = createHash('sha256').update(phoneKey(phone)).digest('hex')
  const all: [string, number][] = [
    [`contact:ip:${minutes}:${clientNetwork(address)}`, Number(settings.contact_limit_per_ip)],
    [`contact:phone:${minutes}:${number}`, Number(settings.contact_limit_per_phone)],
  ]
  return { limits: new Map(all.filter(([, limit]) => limit > 0)), windowMs: minutes * 60_000 }
}

/** Spares a sender who is over a limit anyway the locks of the counting. @throws a 429 */
export async function refuseBeyondLimits(db: Db, { limits }: ContactLimits): Promise<void> {
  const counters = await readCounters(db, [...limits.keys()])
  refuseIfAny(counters.filter(({ key, count }) => count >= (limits.get(key) ?? count + 1)))
}

/**
 * Counts a request, in the transaction that stores it: a refusal takes back what was counted, for the other limit too.
 * Requests of one sender wait for each other here, so that those sent all at once gain nothing.
 * @throws a 429
 */
export async function countContact(trx: Trx, { limits, windowMs }: ContactLimits): Promise<void> {
  const counters = await addToCounters(trx, [...limits.keys()], windowMs)
  refuseIfAny(counters.filter(({ key, count }) => count > (limits.get(key) ?? count)))
}

function refuseIfAny(counters: Counter[]): void {
  if (counters.length === 0) return
  throw rateLimited(Math.max(...counters.map(({ msLeft }) => msLeft)))
}
