const FEWEST_DIGITS = 5

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

/** What is wrong with a phone number that somebody left; null when it may be one. */
export function phoneProblem(phone: string): string | null {
  return phoneKey(phone).length >= FEWEST_DIGITS ? null : `must have at least ${FEWEST_DIGITS} digits`
}
