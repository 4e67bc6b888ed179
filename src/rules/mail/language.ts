/** Values of the setting `mail_language`. */
export const MAIL_LANGUAGES = ['ru', 'en'] as const
export type MailLanguage = (typeof MAIL_LANGUAGES)[number]

/** What all mails of the shop have in common. */
export type MailContext = {
  language: MailLanguage
  /** One line. */
  siteName: string
  /** Without a slash at the end. */
  siteUrl: string
  /** ISO 4217. */
  currency: string
  timeZone: string
}

const LOCALES: Record<MailLanguage, string> = { ru: 'ru-RU', en: 'en-GB' }

/** Returns a function that formats decimal text as an amount. */
export function amountFormat({ language, currency }: MailContext): (decimal: string) => string {
  // The code of the rouble before 1998, which price lists still use.
  const code = currency === 'RUR' ? 'RUB' : currency
  const format = new Intl.NumberFormat(LOCALES[language], { style: 'currency', currency: code })
  return (decimal) => format.format(Number(decimal))
}

/** Formats an instant with its time zone. */
export function formatTime(
  instant: Date,
  { language, timeZone }: Pick<MailContext, 'language' | 'timeZone'>,
): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(instant)
}
