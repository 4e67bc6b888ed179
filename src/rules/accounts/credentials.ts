import { invalid } from '../../errors.ts'
import { oneLine } from '../text.ts'

/** As in HTML, including `root@localhost`. ASCII only: JavaScript and PostgreSQL lower-case it alike. */
const EMAIL =
  /^(?=.{1,254}$)(?=[^@]{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

export const MIN_PASSWORD_LENGTH = 8
/** bcrypt's limit. */
export const MAX_PASSWORD_BYTES = 72

/** Writes the domain of an address as DNS does: `anna@пример.рф` as `anna@xn--e1afmkfd.xn--p1ai`. */
export function withAsciiDomain(email: string): string {
  return email.replace(/(?<=@)[^@/\\?#:]+$/, (domain) => URL.parse(`http://${domain}`)?.hostname ?? '')
}

/** Trims and lower-cases an email; null when it is invalid (contract section 3). */
export function normalEmail(text: string): string | null {
  const trimmed = text.trim()
  return EMAIL.test(trimmed) ? trimmed.toLowerCase() : null
}

/** Does the same for a field of a request. @throws AppError 400 */
export function validEmail(text: string, path = 'email'): string {
  const email = normalEmail(text)
  if (email === null) throw invalid({ path, code: 'NOT_EMAIL' })
  return email
}

/** Whether a customer's field for an email is blank or an address, with letters of any script. */
export function isBlankOrEmail(text: string): boolean {
  const email = withAsciiDomain(oneLine(text)).replace(/\P{ASCII}/gu, 'x')
  return email === '' || normalEmail(email) !== null
}
