import { lockIdleOrders, setHolding } from '../../../db/queries/stock/holds.ts'
import type { Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'
import { freshSetting } from '../settings/settings.ts'

/** Orders of one transaction: few enough that nobody waits long for their locks. */
const BATCH = 500

/**
 * Lets go of what NEW orders hold that nobody took up for `order_hold_hours`; 0 is for ever. Staff who move one on make
 * it find its quantities again (contract section 5, "Availability").
 */
export async function releaseIdleOrders(deps: Pick<Deps, 'db' | 'log' | 'changes'>): Promise<void> {
  const hours = Number(await freshSetting(deps, 'order_hold_hours'))
  if (hours === 0) return
  let orders = 0
  for (let locked = BATCH; locked === BATCH; orders += locked) {
    locked = await write(deps, async (tx) => {
      const ids = await lockIdleOrders(tx.db, hours, BATCH)
      if (ids.length > 0) tx.recordChange('stock', await setHolding(tx.db, ids, false))
      return ids.length
    })
  }
  if (orders > 0) deps.log.info({ orders, hours }, 'new orders that nobody took up hold no more')
}
