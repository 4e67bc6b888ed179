import { hash } from 'node:crypto'
import type { Trx } from '../../../db/database.ts'
import {
  addToCounters,
  type Counter,
  deleteExpiredCounters,
  deleteOldNetworks,
} from '../../../db/queries/accounts/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import { rateLimited } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'
import { phoneKey } from '../../rules/phone.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'

/** The limit of each counter, by its key, and the window of all of them. */
export type SenderLimits = { limits: Map<string, number>; windowMs: number }

/**
 * Reads the limits per address and per phone from the settings `contact_limit_*` or `order_limit_*`; 0 means no limit
 * (contract sections 5 and 6). The window is part of the counters' keys, so that a changed one applies at once.
 * @param address of the client
 */
export function senderLimits(
  settings: SettingValues,
  kind: 'contact' | 'order',
  { phone, address }: { phone: string; address: string },
): SenderLimits {
  const minutes = Number(settings[`${kind}_limit_window_minutes`])
  // Hashed, as the table should not contain personal data.
  const phoneHash = hash('sha256', phoneKey(phone))
  const all: [string, number][] = [
    [`${kind}:ip:${minutes}:${clientNetwork(address)}`, Number(settings[`${kind}_limit_per_ip`])],
    [`${kind}:phone:${minutes}:${phoneHash}`, Number(settings[`${kind}_limit_per_phone`])],
  ]
  return { limits: new Map(all.filter(([, limit]) => limit > 0)), windowMs: minutes * 60_000 }
}

/**
 * Counts a message or an order in the transaction that stores it, so that a rollback undoes the count. The counters'
 * locks serialise concurrent requests of one sender.
 * @throws AppError 429
 */
export async function countSender(trx: Trx, { limits, windowMs }: SenderLimits): Promise<void> {
  if (limits.size === 0) return
  const counters = await addToCounters(trx, [...limits.keys()], windowMs)
  refuseIfAny(counters.filter(({ key, count }) => count > (limits.get(key) ?? count)))
}

/** @throws AppError 429 when any counter is at its limit */
export function refuseIfAny(exceeded: Counter[]): void {
  if (exceeded.length > 0) throw rateLimited(Math.max(...exceeded.map(({ msLeft }) => msLeft)))
}

/** Deletes expired counters and login networks, which have no effect any more. */
export async function purgeRateLimits({ db, log }: Deps): Promise<void> {
  const counters = await deleteExpiredCounters(db)
  const networks = await deleteOldNetworks(db)
  if (counters + networks > 0) log.debug({ counters, networks }, 'expired rate limits deleted')
}
