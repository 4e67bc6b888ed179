import { createHash } from 'node:crypto'
import type { Db, Trx } from '../../../db/database.ts'
import { addToCounters, type Counter, readCounters } from '../../../db/queries/accounts/limits.ts'
import { rateLimited } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'
import { phoneKey } from '../../rules/phone.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'

/** The limit of each counter that a sender belongs to, and the window in which they count. */
export type SenderLimits = { limits: Map<string, number>; windowMs: number }

/**
 * How much of a kind one sender may leave, by address and by phone, as the settings `contact_limit_*` and
 * `order_limit_*` say now; those that are 0 are left out (contract sections 5 and 6). The window is part of a counter's
 * name, so that a changed one counts from the next on.
 * @param address of the client
 */
export function senderLimits(
  settings: SettingValues,
  kind: 'contact' | 'order',
  { phone, address }: { phone: string; address: string },
): SenderLimits {
  const minutes = Number(settings[`${kind}_limit_window_minutes`])
  // Hashed: the table is no place to read our customers' numbers.
  const number = createHash('sha256').update(phoneKey(phone)).digest('hex')
  const all: [string, number][] = [
    [`${kind}:ip:${minutes}:${clientNetwork(address)}`, Number(settings[`${kind}_limit_per_ip`])],
    [`${kind}:phone:${minutes}:${number}`, Number(settings[`${kind}_limit_per_phone`])],
  ]
  return { limits: new Map(all.filter(([, limit]) => limit > 0)), windowMs: minutes * 60_000 }
}

/** Spares a sender who is over a limit anyway the locks of the counting. @throws a 429 */
export async function refuseBeyondLimits(db: Db, { limits }: SenderLimits): Promise<void> {
  const counters = await readCounters(db, [...limits.keys()])
  refuseIfAny(counters.filter(({ key, count }) => count >= (limits.get(key) ?? count + 1)))
}

/**
 * Counts in the transaction that stores: a refusal takes back what was counted, for the other limit too. What one
 * sender leaves waits for each other here, so that what is sent all at once gains nothing.
 * @throws a 429
 */
export async function countSender(trx: Trx, { limits, windowMs }: SenderLimits): Promise<void> {
  if (limits.size === 0) return
  const counters = await addToCounters(trx, [...limits.keys()], windowMs)
  refuseIfAny(counters.filter(({ key, count }) => count > (limits.get(key) ?? count)))
}

function refuseIfAny(counters: Counter[]): void {
  if (counters.length === 0) return
  throw rateLimited(Math.max(...counters.map(({ msLeft }) => msLeft)))
}
