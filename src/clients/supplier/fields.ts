import type { Static, TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import { MAX_INT } from '../../rules/lists.ts'
import { decimalOf } from '../../rules/money.ts'
import { meansNoDate, parseSupplierDate } from '../../rules/supplier/dates.ts'
import { beginningOf, findUnstorable } from '../../rules/text.ts'

/** Skips a record; the message is the reason shown to staff. */
export class Rejection extends Error {}

export function checked<T extends TSchema>(check: TypeCheck<T>, item: unknown): Static<T> {
  if (check.Check(item)) return item
  const fault = check.Errors(item).First()
  const field = fault?.path.slice(1) || 'the record'
  if (fault === undefined || fault.value === undefined) throw new Rejection(`${field} is missing`)
  throw new Rejection(`${field} can't be ${describeValue(fault.value)}`)
}

/** Lists and objects are not quoted: they may be nested too deeply to be stringified. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null
    ? 'an object'
    : beginningOf(JSON.stringify(value) ?? 'nothing', 100)
}

export function storable<T extends object>(record: T): T {
  for (const { path, message } of findUnstorable(record)) throw new Rejection(`${path.join('/')} ${message}`)
  return record
}

export function readName(text: string): string {
  const name = text.replace(/\s+/g, ' ').trim().normalize()
  if (name === '') throw new Rejection('name is empty')
  return name
}

export function readDate(text: string | null | undefined, timeZone: string): Date | null {
  if (text === null || text === undefined) return null
  const date = parseSupplierDate(text, timeZone)
  if (date === null && !meansNoDate(text)) throw new Rejection(`updatedAt can't be ${describeValue(text)}`)
  return date
}

export function readReference(id: string | null | undefined): string | null {
  return id?.trim() ? id : null
}

export function readPrice(value: number | null | undefined): string | null {
  if (value === null || value === undefined) return null
  if (value < 0) throw new Rejection(`price is negative: ${value}`)
  const price = decimalOf(value)
  if (price === null) throw new Rejection(`price is too large: ${value}`)
  return price
}

/** Oversold or unknown stock counts as 0; fractions of a piece can't be sold. */
export function readStock(value: number | null | undefined): number {
  if (value === null || value === undefined || value < 0) return 0
  if (value > MAX_INT) throw new Rejection(`stock is too large: ${value}`)
  return Math.floor(value)
}

export function readUrl(text: string | null | undefined): string | null {
  if (!text || text.length > 2000 || !URL.canParse(text)) return null
  return /^https?:$/.test(new URL(text).protocol) ? text : null
}
