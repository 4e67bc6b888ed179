import type { Deps } from '../../deps.ts'
import type { MailContext } from '../../rules/mail/language.ts'
import { mailContext } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'
import { allowsBackorder } from '../stock/reservations.ts'

/** What placing and changing orders depends on besides them. */
export type OrderSettings = {
  /** Whether orders may exceed the stock. */
  backorder: boolean
  mailContext: MailContext
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
export async function orderSettings(deps: Deps): Promise<OrderSettings> {
  const settings = await settingValues(deps)
  return {
    backorder: await allowsBackorder(deps),
    mailContext: mailContext(deps.config, settings),
    staff: settings.notification_email,
    toCustomers: settings.customer_mails === 'true',
    statusPage: `${deps.config.siteUrl}${settings.order_status_path}/`,
    secret: deps.config.jwtSecret,
  }
}
