import { invalid } from '../errors.ts'

const MIN_PHONE_DIGITS = 5

/**
 * What two spellings of one number have in common: its digits, where a Russian number written for dialling within the
 * country (8 900…, 900…) counts as +7 900… (contract section 6: phones are compared by digits).
 */
export function phoneKey(phone: string): string {
  const plain = phone.normalize('NFKC').trim()
  const digits = plain.replace(/\D/g, '')
  if (plain.startsWith('+')) return digits
  if (/^8\d{10}$/.test(digits)) return `7${digits.slice(1)}`
  return /^9\d{9}$/.test(digits) ? `7${digits}` : digits
}

/** A phone number that somebody left, trimmed. @throws AppError 400 when it has too few digits to be one */
export function validPhone(phone: string): string {
  if (phoneKey(phone).length >= MIN_PHONE_DIGITS) return phone.trim()
  throw invalid({ path: 'phone', message: `must have at least ${MIN_PHONE_DIGITS} digits` })
}
