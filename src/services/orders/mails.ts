import { enqueueMail, type Mail } from '../../../db/queries/mail/outbox.ts'
import { findLastStatus } from '../../../db/queries/orders/orders.ts'
import type { OrderItemRow, OrderRow, OrderStatus } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { normalEmail, withAsciiDomain } from '../../rules/accounts/credentials.ts'
import type { MailContext } from '../../rules/mail/language.ts'
import {
  MAILED_STATUSES,
  newOrderMail,
  orderConfirmationMail,
  orderStatusMail,
} from '../../rules/mail/orders.ts'
import { unseal } from '../../runtime/secrets.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { mailContext, sealMail } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'

/** What the mails about an order depend on besides it. */
export type OrderMailing = {
  context: MailContext
  /** Receives mails about new orders; empty for none. */
  staff: string
  /** Whether customers get mails. */
  toCustomers: boolean
  /** Page of the storefront, to which a token is appended. */
  statusPage: string
  /** JWT_SECRET. */
  secret: string
}

/** Reads the settings. Call it outside of transactions: it may need a connection of the pool. */
export async function orderMailing(deps: Deps): Promise<OrderMailing> {
  const settings = await settingValues(deps)
  return {
    context: mailContext(deps.config, settings),
    staff: settings.notification_email,
    toCustomers: settings.customer_mails === 'true',
    statusPage: `${deps.config.siteUrl}${settings.order_status_path}/`,
    secret: deps.config.jwtSecret,
  }
}

/** Mails a new order to staff, and its confirmation to the customer. @param token of the link to the order */
export async function mailNewOrder(
  tx: UnitOfWork,
  mailing: OrderMailing,
  order: OrderRow,
  items: OrderItemRow[],
  token: string,
): Promise<void> {
  const { context, staff, secret } = mailing
  const mails: Mail[] = []
  if (staff !== '') mails.push({ recipient: staff, ...newOrderMail(context, order, items) })
  const recipient = customerOf(mailing, order)
  if (recipient !== null) {
    const mail = orderConfirmationMail(context, order, items, { url: mailing.statusPage + token })
    mails.push({ recipient, ...sealMail(mail, secret) })
  }
  await enqueueMail(tx.db, ...mails)
}

/**
 * Mails the customer that the order is being set to a state, unless the last state that was mailed is the same: staff may
 * move an order back and forth. Call it before the history is written.
 */
export async function mailStatus(
  tx: UnitOfWork,
  mailing: OrderMailing,
  order: OrderRow,
  to: OrderStatus,
): Promise<void> {
  const status = MAILED_STATUSES.find((mailed) => mailed === to)
  const recipient = customerOf(mailing, order)
  if (status === undefined || recipient === null) return
  if ((await findLastStatus(tx.db, order.id, MAILED_STATUSES)) === status) return
  const token = trackingTokenOf(order, mailing.secret)
  const url = token === null ? null : mailing.statusPage + token
  const mail = orderStatusMail(mailing.context, order, status, { url })
  await enqueueMail(tx.db, { recipient, ...sealMail(mail, mailing.secret) })
}

/** The token of an order's link; null for an order without one, or sealed with an earlier JWT_SECRET. */
export function trackingTokenOf({ tracking_sealed }: OrderRow, secret: string): string | null {
  return tracking_sealed && unseal(secret, tracking_sealed)
}

/** Null also for an address that no mail can be sent to. */
function customerOf({ toCustomers }: OrderMailing, { customer_email }: OrderRow): string | null {
  return toCustomers ? normalEmail(withAsciiDomain(customer_email ?? '')) : null
}
