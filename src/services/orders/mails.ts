import { enqueueMail, type Mail } from '../../../db/queries/mail/outbox.ts'
import { listHistory } from '../../../db/queries/orders/orders.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { normalEmail, withAsciiDomain } from '../../rules/accounts/credentials.ts'
import { MAILED_STATUSES, newOrderMail, orderConfirmationMail, orderStatusMail } from '../../rules/mail/orders.ts'
import { unseal } from '../../runtime/secrets.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { mailContext, sealMail } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'

/** The settings that placing and changing orders depends on. */
export type OrderSettings = Awaited<ReturnType<typeof orderSettings>>

/** Reads the settings. Call it outside of transactions: it may need a connection of the pool. */
export async function orderSettings(deps: Deps) {
  const settings = await settingValues(deps)
  return {
    /** Whether orders may exceed the stock. */
    backorder: settings.order_allow_backorder === 'true',
    mailContext: mailContext(deps.config, settings),
    /** Receives mails about new orders; empty for none. */
    staff: settings.notification_email,
    /** Whether customers get mails. */
    toCustomers: settings.customer_mails === 'true',
    /** Page of the storefront, to which a token is appended. */
    statusPage: `${deps.config.siteUrl}${settings.order_status_path}/`,
    /** JWT_SECRET. */
    secret: deps.config.jwtSecret,
  }
}

/** Mails a new order to staff, and its confirmation to the customer. @param token of the link to the order */
export async function mailNewOrder(
  tx: UnitOfWork,
  settings: OrderSettings,
  order: OrderRow,
  items: OrderItemRow[],
  token: string,
): Promise<void> {
  const { mailContext, staff, secret, statusPage } = settings
  const mails: Mail[] = []
  if (staff !== '') mails.push({ recipient: staff, ...newOrderMail(mailContext, order, items) })
  const recipient = customerOf(settings, order)
  if (recipient !== null) {
    const mail = orderConfirmationMail(mailContext, order, items, { url: statusPage + token })
    mails.push({ recipient, ...sealMail(mail, secret) })
  }
  await enqueueMail(tx.db, ...mails)
}

/**
 * Mails the customer an order's new status, the last of its history, unless the last mail named the same one: staff may move
 * an order back and forth.
 */
export async function mailStatus(tx: UnitOfWork, settings: OrderSettings, order: OrderRow): Promise<void> {
  const status = MAILED_STATUSES.find((mailed) => mailed === order.status)
  const recipient = customerOf(settings, order)
  if (status === undefined || recipient === null) return
  const history = (await listHistory(tx.db, order.id)).slice(0, -1)
  const lastMailed = history.findLast(({ to_status }) => MAILED_STATUSES.some((mailed) => mailed === to_status))
  if (lastMailed?.to_status === status) return
  const token = trackingTokenOf(order, settings.secret)
  const url = token === null ? null : settings.statusPage + token
  const mail = orderStatusMail(settings.mailContext, order, status, { url })
  await enqueueMail(tx.db, { recipient, ...sealMail(mail, settings.secret) })
}

/** The token of an order's link; null for an order without one, or sealed with an earlier JWT_SECRET. */
export function trackingTokenOf({ tracking_sealed }: OrderRow, secret: string): string | null {
  return tracking_sealed && unseal(secret, tracking_sealed)
}

/** Null also for an address that no mail can be sent to. */
function customerOf({ toCustomers }: OrderSettings, { customer_email }: OrderRow): string | null {
  return toCustomers ? normalEmail(withAsciiDomain(customer_email ?? '')) : null
}
