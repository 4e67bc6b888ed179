import type { Trx } from '../../../db/database.ts'
import { findOffers, lockQuantities, type OfferRow } from '../../../db/queries/stock/availability.ts'
import type { Deps } from '../../deps.ts'
import { settingValues } from '../settings/settings.ts'

/**
 * Reads price and availability by product id, and locks the quantities until the transaction ends. Lock the order
 * before and its items after: all transactions take these locks in the same order.
 */
export async function lockOffers(trx: Trx, productIds: number[]): Promise<Map<number, OfferRow>> {
  await lockQuantities(trx, productIds)
  return new Map((await findOffers(trx, productIds)).map((row) => [row.id, row]))
}

/**
 * Whether orders may exceed the stock (`order_allow_backorder`). Call it outside of transactions: it may need a
 * connection of the pool.
 */
export async function allowsBackorder(deps: Deps): Promise<boolean> {
  return (await settingValues(deps)).order_allow_backorder === 'true'
}
