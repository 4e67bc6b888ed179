import { domainToASCII, domainToUnicode } from 'node:url'
import { invalid } from '../../errors.ts'
import { textOrNull, withoutInvisible } from '../text.ts'

/** As in HTML, including `root@localhost`. ASCII only: JavaScript and PostgreSQL lower-case it alike. */
const EMAIL =
  /^(?=.{1,254}$)(?=[^@]{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

export const MIN_PASSWORD_LENGTH = 8
/** bcrypt's limit. */
export const MAX_PASSWORD_BYTES = 72

const MAX_EMAIL_LENGTH = 254

/**
 * An email as mails are sent to it: without what can't be seen, in lower case, the domain as DNS writes it (`anna@пример.рф` as
 * `anna@xn--e1afmkfd.xn--p1ai`); null when no mail can be delivered to it (docs/accounts.md). Before the `@` only ASCII
 * can, as few mail servers speak SMTPUTF8.
 */
export function normalEmail(text: string): string | null {
  const visible = withoutInvisible(text).trim()
  if (visible.length > MAX_EMAIL_LENGTH) return null
  const domain = visible.slice(visible.lastIndexOf('@') + 1)
  const local = visible.slice(0, visible.length - domain.length)
  const email = `${local}${/\P{ASCII}/u.test(domain) ? domainToASCII(domain) : domain}`
  return EMAIL.test(email) ? email.toLowerCase() : null
}

/** The forms in lower case in which the same address may have been entered. @throws AppError 400 */
export function emailForms(text: string): string[] {
  const email = validEmail(text)
  const [local = '', domain = ''] = email.split('@')
  return [...new Set([email, `${local}@${domainToUnicode(domain)}`])]
}

/** Does the same for a field of a request. @throws AppError 400 */
export function validEmail(text: string, path = 'email'): string {
  const email = normalEmail(text)
  if (email === null) throw invalid({ path, code: 'NOT_EMAIL' })
  return email
}

/** Whether a customer's field for an email is blank or an address. */
export function isBlankOrEmail(text: string): boolean {
  return withoutInvisible(text).trim() === '' || normalEmail(text) !== null
}

/** A customer's email as it is stored: as it was entered but for what can't be seen. Blank is none, undefined not given. */
export function emailOrNull(text: string | null | undefined): string | null | undefined {
  return textOrNull(text && withoutInvisible(text))
}

/** A code of an authenticator app; any other is a recovery code. */
export const TOTP_CODE = /^\d{6}$/

/** A code without what people type between its groups. */
export function compactCode(code: string): string {
  return withoutInvisible(code).replace(/[\s-]/g, '').toLowerCase()
}

/** How an attempt to log in ended. */
export const LOGIN_OUTCOMES = ['SUCCEEDED', 'WRONG_PASSWORD', 'WRONG_CODE', 'CODE_REQUIRED'] as const
export type LoginOutcome = (typeof LOGIN_OUTCOMES)[number]
