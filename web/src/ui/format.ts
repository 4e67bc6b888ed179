import { language } from './language.ts'

export const LOCALE = language === 'ru' ? 'ru-RU' : 'en-GB'
const number = new Intl.NumberFormat(LOCALE)
const amount = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const dateTime = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const shortDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

export const DASH = '—'

export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? DASH : number.format(value)
}

/** Without a currency, which is a setting of the shop and the same everywhere. */
export function formatMoney(value: number | null | undefined): string {
  if (value === null || value === undefined) return DASH
  return Number.isInteger(value) ? number.format(value) : amount.format(value)
}

export function formatTime(value: string | null | undefined): string {
  return value ? dateTime.format(new Date(value)) : DASH
}

export function formatDay(value: string | null | undefined): string {
  return value ? day.format(new Date(value)) : DASH
}

export function formatShortDay(time: number): string {
  return shortDay.format(time)
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** "5 minutes ago", and the date beyond a week. */
export function formatAgo(value: string | null | undefined): string {
  if (!value) return DASH
  const distance = new Date(value).getTime() - Date.now()
  if (Math.abs(distance) > 7 * 86_400_000) return formatDay(value)
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? (['minute', 60_000] as const)
  return relative.format(Math.round(distance / ms), unit)
}

export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return DASH
  if (ms < 1000) return `${number.format(ms)} ms`
  const seconds = Math.round(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${number.format(Math.ceil(bytes / 1000))} KB` : `${amount.format(bytes / 1_000_000)} MB`
}
