import { percentDecoded } from '../rules/text.ts'

/** Shorter secrets would match by chance. */
const MIN_SECRET_LENGTH = 4

/** Redacts secrets that another server echoes, in the usual spellings. */
export function createRedactor(plain: string[]): (text: string) => string {
  const secrets = plain.filter(({ length }) => length >= MIN_SECRET_LENGTH).flatMap(spellingsOf)
  if (secrets.length === 0) return (text) => text
  // The longest first, so that a pair of user and password is redacted as a whole.
  const patterns = secrets.toSorted((a, b) => b.length - a.length).map(RegExp.escape)
  // In upper and lower case, because hexadecimal digits have either.
  const anySecret = new RegExp(patterns.join('|'), 'gi')
  return (text) => text.replace(anySecret, '***')
}

/** Plain, percent-encoded, form-encoded, in JSON, in JSON with needless escapes, and in base64. */
function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const base64 = Buffer.from(secret).toString('base64')
  return [
    ...[secret, encodeURIComponent(secret), new URLSearchParams({ '': secret }).toString().slice(1)],
    ...[json, ascii, json.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')],
    ...[base64, encodeURIComponent(base64), Buffer.from(secret).toString('base64url')],
  ]
}

/**
 * Splits the credentials off an address such as `https://user:pass@host/api`.
 * @returns credentials decoded; null when there are none
 */
export function splitAddress(address: string) {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { address, credentials: null }
  const credentials = { username: percentDecoded(url.username), password: percentDecoded(url.password) }
  url.username = ''
  url.password = ''
  return { address: url.href, credentials }
}
