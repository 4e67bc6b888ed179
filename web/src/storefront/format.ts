import { formatNumber, LOCALE } from '../ui/format.ts'

export { formatDay, formatNumber, formatTime } from '../ui/format.ts'

const plurals = new Intl.PluralRules(LOCALE)

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
    return `${formatNumber(amount)} ${currency}`
  }
}

type Forms = { one: string; few?: string; many?: string; other: string }

/** "3 products" in the grammatical form that the number needs. */
export function count(value: number, forms: Forms): string {
  const rule = plurals.select(value)
  const form = (rule === 'one' || rule === 'few' || rule === 'many' ? forms[rule] : undefined) ?? forms.other
  return `${formatNumber(value)} ${form}`
}
