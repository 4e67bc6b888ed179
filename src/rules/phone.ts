export const MIN_PHONE_DIGITS = 5

/**
 * Normalises a number to its digits for comparison (contract section 6). Russian numbers in national form (8 900…,
 * 900…) become +7 900….
 */
export function phoneKey(phone: string): string {
  const plain = phone.normalize('NFKC').trim()
  const digits = plain.replace(/\D/g, '')
  if (plain.startsWith('+')) return digits
  if (/^8\d{10}$/.test(digits)) return `7${digits.slice(1)}`
  return /^9\d{9}$/.test(digits) ? `7${digits}` : digits
}

/** Whether a text has enough digits for a phone number. */
export function isPhone(text: string): boolean {
  return phoneKey(text).length >= MIN_PHONE_DIGITS
}
