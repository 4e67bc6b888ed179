import { hash } from 'node:crypto'
import { listItems } from '../../../db/queries/orders/items.ts'
import { findOrder } from '../../../db/queries/orders/orders.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import { deliveryNameOf } from '../../rules/orders/delivery.ts'
import { renderSlip, SLIP_STYLE } from '../../rules/orders/print.ts'
import type { PrintQuery } from '../../schemas/orders.ts'
import { mailContext } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'

/** The slip's style and nothing else: its texts are a stranger's. */
export const SLIP_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', SLIP_STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`

/** The packing slip of an order as HTML, in the language of the shop's mails (docs/orders.md). @throws AppError 404 */
export async function printOrder(deps: Deps, id: number, { prices }: PrintQuery): Promise<string> {
  const order = found(await findOrder(deps.db, id), 'order')
  const lines = await listItems(deps.db, id)
  const settings = await settingValues(deps)
  const context = { ...mailContext(deps.config, settings), company: settings.shop_company }
  const delivery_method = deliveryNameOf(settings.delivery_methods, order.delivery_method)
  return renderSlip(context, { ...order, delivery_method }, lines, { prices: prices !== false })
}
