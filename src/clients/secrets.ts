import { percentDecoded } from '../rules/text.ts'

/** Shorter secrets would match by chance. */
const MIN_SECRET_LENGTH = 4

/** Redacts secrets that another server echoes: plain, percent-encoded, JSON-escaped or in base64. */
export function createRedactor(plain: string[]): (text: string) => string {
  const secrets = plain
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')])
  if (secrets.length === 0) return (text) => text
  // The longest first, so that a pair of user and password is redacted as a whole.
  const patterns = [...new Set(secrets)].sort((a, b) => b.length - a.length).map(patternOf)
  const anySecret = new RegExp(patterns.join('|'), 'g')
  return (text) => text.replace(anySecret, '***')
}

/** Matches the secret in every spelling of each of its characters. */
function patternOf(secret: string): string {
  return `${[...secret].map(spellingsOf).join('')}(?:%3[dD]|=){0,2}`
}

function spellingsOf(character: string): string {
  const percent = [...Buffer.from(character)].map(
    (byte) => `%${hexPattern(byte.toString(16).padStart(2, '0'))}`,
  )
  const units = Array.from(character, (_, index) => character.charCodeAt(index))
  const json = units.map((unit) => `\\\\u${hexPattern(unit.toString(16).padStart(4, '0'))}`)
  const spellings = [`\\\\?${RegExp.escape(character)}`, percent.join(''), json.join('')]
  // Form encoding writes a space as +; URL-safe base64 replaces + and /.
  if (character === ' ') spellings.push('\\+')
  if (character === '+') spellings.push('-')
  if (character === '/') spellings.push('_')
  return `(?:${spellings.join('|')})`
}

function hexPattern(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

/**
 * Splits the credentials off an address such as `https://user:pass@host/api`.
 * @returns credentials decoded; null when there are none
 */
export function splitAddress(address: string): {
  address: string
  credentials: { username: string; password: string } | null
} {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { address, credentials: null }
  const credentials = { username: percentDecoded(url.username), password: percentDecoded(url.password) }
  url.username = ''
  url.password = ''
  return { address: url.href, credentials }
}
