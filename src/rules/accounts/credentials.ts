/** As HTML's input takes it, so also `root@localhost`. ASCII only: lower-casing then means the same to JavaScript and to the database, and no two letters look alike. */
const EMAIL =
  /^(?=.{1,254}$)(?=[^@]{1,64}@)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

const SHORTEST_PASSWORD = 8
/** bcrypt reads no further. */
export const LONGEST_PASSWORD_BYTES = 72

/** The address as it is stored and compared: trimmed, lower case; null when it is none (contract section 3). */
export function normalEmail(text: string): string | null {
  const trimmed = text.trim()
  return EMAIL.test(trimmed) ? trimmed.toLowerCase() : null
}

/** What is wrong with a new password; null when nothing is (contract section 3). */
export function passwordProblem(password: string): string | null {
  if ([...password].length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`
  if (Buffer.byteLength(password) <= LONGEST_PASSWORD_BYTES) return null
  return `must have at most ${LONGEST_PASSWORD_BYTES} bytes in UTF-8`
}
