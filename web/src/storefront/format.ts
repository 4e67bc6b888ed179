import { language } from '../ui/language.ts'

const LOCALE = language === 'ru' ? 'ru-RU' : 'en-GB'
const number = new Intl.NumberFormat(LOCALE)
const dateTime = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const plurals = new Intl.PluralRules(LOCALE)

export const formatNumber = (value: number) => number.format(value)
export const formatTime = (time: string) => dateTime.format(new Date(time))
export const formatDay = (date: string) => day.format(new Date(date))

export function formatMoney(amount: number, currency: string): string {
  try {
    const minimumFractionDigits = Number.isInteger(amount) ? 0 : 2
    return new Intl.NumberFormat(LOCALE, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits,
    }).format(amount)
  } catch {
    // The currency is a text of the settings.
    return `${number.format(amount)} ${currency}`
  }
}

type Forms = { one: string; few?: string; many?: string; other: string }

/** "3 products" in the grammatical form that the number needs. */
export function count(value: number, forms: Forms): string {
  const rule = plurals.select(value)
  const form = (rule === 'one' || rule === 'few' || rule === 'many' ? forms[rule] : undefined) ?? forms.other
  return `${number.format(value)} ${form}`
}
