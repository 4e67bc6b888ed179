import { enqueueMail, type Mail } from '../../../db/queries/mail/outbox.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import { normalEmail } from '../../rules/accounts/credentials.ts'
import { MAILED_STATUSES, newOrderMail, orderConfirmationMail, orderStatusMail } from '../../rules/mail/orders.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
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
  const mails: Mail[] = []
  const staff = settings.notification_email
  if (staff !== '') mails.push({ recipient: staff, ...newOrderMail(shop, order, items) })
  const recipient = customerOf(context, order)
  if (recipient !== null) {
    const mail = orderConfirmationMail(shop, order, items, { url: linkOf(context, token) })
    mails.push({ recipient, ...sealMail(mail, config.jwtSecret) })
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
  await enqueueMail(tx.db, { recipient, ...sealMail(mail, config.jwtSecret) })
}

/** A page of the storefront. */
function linkOf({ config, settings }: OrderContext, token: string): string {
  return `${config.siteUrl}${settings.order_status_path}/${token}`
}

/** Null also for an address of an old order that no mail can be sent to. */
function customerOf({ settings }: OrderContext, { customer_email }: OrderRow): string | null {
  return settings.customer_mails === 'true' ? normalEmail(customer_email ?? '') : null
}
