/** What is shorter is in every text by chance. */
const SHORTEST = 4

export type Credentials = { token: string; username: string; password: string }

/**
 * Takes credentials out of texts, should the supplier repeat them: as they are, percent-encoded, escaped as in JSON, or
 * in base64, alone and as the pair that BASIC sends.
 */
export function createCleaner(credentials: Credentials[]): (text: string) => string {
  const secrets = credentials.flatMap(({ token, username, password }) => {
    const pair = `${username}:${password}`
    const plain = [token, password, pair].filter(({ length }) => length >= SHORTEST)
    return [...plain, ...plain.map((secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''))]
  })
  if (secrets.length === 0) return (text) => text
  // The longest first: a pair goes as a whole.
  const patterns = [...new Set(secrets)].sort((a, b) => b.length - a.length).map(patternOf)
  const anySecret = new RegExp(patterns.join('|'), 'g')
  return (text) => text.replace(anySecret, '***')
}

/** Matches the secret in every way of writing each of its characters. */
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
  // Forms write a space as +; base64 for addresses has other characters for two of its own.
  if (character === ' ') spellings.push('\\+')
  if (character === '+') spellings.push('-')
  if (character === '/') spellings.push('_')
  return `(?:${spellings.join('|')})`
}

function hexPattern(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

/**
 * Takes the credentials out of an address, `https://user:pass@host/api`.
 * @returns the address without them, and them as they are, not percent-encoded; null when there are none
 */
export function splitAddress(address: string): {
  address: string
  credentials: { username: string; password: string } | null
} {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { address, credentials: null }
  const credentials = { username: decode(url.username), password: decode(url.password) }
  url.username = ''
  url.password = ''
  return { address: url.href, credentials }
}

/** As HTTP clients read it: what is no percent-encoding stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
