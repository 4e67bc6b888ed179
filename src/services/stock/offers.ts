import type { Trx } from '../../../db/database.ts'
import { findOffers, lockQuantities } from '../../../db/queries/stock/availability.ts'
import type { Deps } from '../../deps.ts'
import type { LineOffer } from '../../rules/orders/lines.ts'
import { settingValues } from '../settings/settings.ts'

/**
 * The products as they can be had now, by id; nobody else takes quantity of them until the transaction ends. An order
 * that is to be changed is locked before, its items after (one order of locks everywhere).
 */
export async function lockOffers(trx: Trx, productIds: number[]): Promise<Map<number, LineOffer>> {
  await lockQuantities(trx, productIds)
  const rows = await findOffers(trx, productIds)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        externalId: row.external_id,
        name: row.name,
        active: row.active,
        finalPrice: row.final_price,
        availableQuantity: row.available_quantity,
      },
    ]),
  )
}

/**
 * Whether more than there is may be ordered: the one reader of `order_allow_backorder` (contract section 5). To be asked
 * before a transaction begins: inside one it might wait for a second connection.
 */
export async function allowsBackorder(deps: Pick<Deps, 'db' | 'cached'>): Promise<boolean> {
  return (await settingValues(deps)).order_allow_backorder === 'true'
}
