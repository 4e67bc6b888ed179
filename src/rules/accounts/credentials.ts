import { invalid } from '../../errors.ts'

/** As HTML's input takes it, so also `root@localhost`. ASCII only: lower-casing then means the same to JavaScript and to the database, and no two letters look alike. */
const EMAIL =
  /^(?=.{1,254}$)(?=[^@]{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

export const MIN_PASSWORD_LENGTH = 8
/** bcrypt reads no further. */
export const MAX_PASSWORD_BYTES = 72

/** The address as it is stored and compared: trimmed, lower case; null when it is none (contract section 3). */
export function normalEmail(text: string): string | null {
  const trimmed = text.trim()
  return EMAIL.test(trimmed) ? trimmed.toLowerCase() : null
}

/** The same for a field of a request. @throws AppError 400 that names it */
export function validEmail(text: string, path = 'email'): string {
  const email = normalEmail(text)
  if (email === null) throw invalid({ path, message: 'must be an email address' })
  return email
}

/** A new password (contract section 3). @throws AppError 400 that names the field */
export function validPassword(password: string, path = 'password'): string {
  if ([...password].length < MIN_PASSWORD_LENGTH) {
    throw invalid({ path, message: `must have at least ${MIN_PASSWORD_LENGTH} characters` })
  }
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw invalid({ path, message: `must have at most ${MAX_PASSWORD_BYTES} bytes in UTF-8` })
  }
  return password
}
