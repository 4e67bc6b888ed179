import { addToCounters } from '../../../db/queries/accounts/rate-limits.ts'
import { enqueueMail, type Mail } from '../../../db/queries/mail/outbox.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import { normalEmail } from '../../rules/accounts/credentials.ts'
import { MAILED_STATUSES, newOrderMail, orderConfirmationMail, orderStatusMail } from '../../rules/mail/orders.ts'
import type { RenderedMail } from '../../rules/mail/render.ts'
import { deliveryNameOf } from '../../rules/orders/delivery.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { hashEmail } from '../accounts/rate-limits.ts'
import { mailContext, sealMail } from '../mail/mail.ts'
import { type OrderContext, trackingTokenOf } from './orders.ts'

/** Mails a new order to staff, and its confirmation to the customer. @param token of the link to the order */
export async function mailNewOrder(
  tx: UnitOfWork,
  context: OrderContext,
  order: OrderRow,
  items: OrderItemRow[],
  token: string,
): Promise<void> {
  const { config, settings } = context
  const shop = mailContext(config, settings)
  const mailed = { ...order, delivery_method: deliveryNameOf(settings.delivery_methods, order.delivery_method) }
  const mails: Mail[] = []
  const staff = settings.notification_email
  if (staff !== '') mails.push({ recipient: staff, ...newOrderMail(shop, mailed, items), order_id: order.id })
  const recipient = customerOf(context, order)
  if (recipient !== null) {
    const mail = orderConfirmationMail(shop, mailed, items, { url: linkOf(context, token) })
    mails.push(await customerMail(tx, context, order, recipient, mail))
  }
  await enqueueMail(tx.db, ...mails)
}

/** Mails the customer an order's new status. */
export async function mailStatus(tx: UnitOfWork, context: OrderContext, order: OrderRow): Promise<void> {
  const { config, settings } = context
  const status = MAILED_STATUSES.find((mailed) => mailed === order.status)
  const recipient = customerOf(context, order)
  if (status === undefined || recipient === null) return
  const token = trackingTokenOf(order, config.jwtSecret)
  const url = token === null ? null : linkOf(context, token)
  const mail = orderStatusMail(mailContext(config, settings), order, status, { url })
  await enqueueMail(tx.db, await customerMail(tx, context, order, recipient, mail))
}

const HOUR_MS = 3_600_000

/** Beyond `customer_mails_per_hour` it is listed, but not sent: anybody can order under somebody else's address. */
async function customerMail(
  tx: UnitOfWork,
  { config, settings, log }: OrderContext,
  { id }: OrderRow,
  recipient: string,
  text: RenderedMail,
): Promise<Mail> {
  const mail = { recipient, ...sealMail(text, config.jwtSecret), order_id: id }
  const limit = Number(settings.customer_mails_per_hour)
  const [counter] = limit === 0 ? [] : await addToCounters(tx.db, [`mail:${hashEmail(recipient)}`], HOUR_MS)
  if (counter === undefined || counter.count <= limit) return mail
  log.warn({ orderId: id, limit }, 'customer mail not sent')
  return { ...mail, status: 'FAILED', last_error: `Not sent: more than ${limit} mails to this address within an hour` }
}

/** A page of the storefront. */
function linkOf({ config, settings }: OrderContext, token: string): string {
  return `${config.siteUrl}${settings.order_status_path}/${token}`
}

/** Null also for an address of an old order that no mail can be sent to. */
function customerOf({ settings }: OrderContext, { customer_email }: OrderRow): string | null {
  return settings.customer_mails === 'true' ? normalEmail(customer_email ?? '') : null
}
