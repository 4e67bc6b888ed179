import { fold } from './fold.ts'

export const MIN_PHONE_DIGITS = 5

/**
 * Normalises a number to its digits for comparison (docs/content.md). Russian numbers in national form (8 900…,
 * 900…) become +7 900….
 */
export function phoneKey(phone: string): string {
  const plain = fold(phone)
  const digits = plain.replace(/\D/g, '')
  if (plain.startsWith('+')) return digits
  if (/^8\d{10}$/.test(digits)) return `7${digits.slice(1)}`
  return /^9\d{9}$/.test(digits) ? `7${digits}` : digits
}

/** Whether a text has enough digits for a phone number. */
export function isPhone(text: string): boolean {
  return phoneKey(text).length >= MIN_PHONE_DIGITS
}

/**
 * The texts to look for among names and phones: the search, and if it may be part of a phone number its digits, those that all
 * forms of a Russian one have. Empty for a blank search.
 */
export function searchTexts(search: string): string[] {
  const text = fold(search)
  if (text === '') return []
  const digits = text.replace(/\D/g, '')
  const isPhone = digits.length >= 3 && /^[+()\d\s.\-/]+$/.test(text)
  const shared = /^[78]\d{10}$/.test(digits) ? digits.slice(1) : digits
  return isPhone && shared !== text ? [text, shared] : [text]
}
