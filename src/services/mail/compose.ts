import type { MailRow, MailText } from '../../../db/queries/mail/outbox.ts'
import type { Deps } from '../../deps.ts'
import { MAIL_LANGUAGES, type MailContext } from '../../rules/mail/language.ts'
import type { RenderedMail } from '../../rules/mail/render.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { oneLine } from '../../rules/text.ts'
import { seal, unseal } from '../../runtime/secrets.ts'

/** What the templates of mails need to know of the shop. */
export function mailContext(config: Deps['config'], settings: SettingValues): MailContext {
  return {
    language: MAIL_LANGUAGES.find((language) => language === settings.mail_language) ?? 'ru',
    siteName: oneLine(settings.site_name),
    siteUrl: config.siteUrl,
    currency: settings.shop_currency,
    timeZone: config.shopTimeZone,
  }
}

/**
 * Encrypts a mail that holds a secret: the outbox must not tell what is stored as a hash elsewhere. An instance of a
 * version that can't decrypt it sends the subject alone.
 */
export function sealMail({ subject, body, html }: RenderedMail, secret: string): MailText {
  return { subject, body: subject, sealed: seal(secret, JSON.stringify({ body, html })) }
}

type Content = Pick<RenderedMail, 'body'> & { html: string | null }

/** Returns the parts of a stored mail; null if it was sealed with another secret. */
export function contentOf({ body, html, sealed }: MailRow, secret: string): Content | null {
  if (sealed === null) return { body, html }
  const text = unseal(secret, sealed)
  return text === null ? null : JSON.parse(text)
}
