import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, nullIfMissing } from '../errors.ts'
import { KEY_PREFIX } from '../rules/accounts/roles.ts'
import { SECRET_PREFIX } from '../rules/webhooks.ts'

/**
 * Reads a secret from a file that only its owner can read, or creates it. Processes that start together get the same one.
 * @param make generates the secret
 */
export async function readOrCreateSecret(folder: string, name: string, make: () => string): Promise<string> {
  const path = join(folder, name)
  const existing = await readFile(path, 'utf8').catch(nullIfMissing)
  if (existing !== null) return existing.trim()
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, `${make()}\n`, { mode: 0o600, flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return (await readFile(path, 'utf8')).trim()
}

/** 64 bytes in hexadecimal, as the specification asks for JWT_SECRET. */
export const newJwtSecret = () => randomBytes(64).toString('hex')
/** Easy to copy from a terminal. */
export const newPassword = () => randomBytes(12).toString('base64url')
/** For a link. */
export const newToken = () => randomBytes(32).toString('base64url')
/** 80 random bits, easy to type. */
export const newRecoveryCode = () =>
  randomBytes(10)
    .toString('hex')
    .replace(/(.{5})(?=.)/g, '$1-')
export const newApiKey = () => KEY_PREFIX + newToken()
export const newWebhookSecret = () => SECRET_PREFIX + randomBytes(32).toString('base64')

/** Unsalted: nobody can guess 32 random bytes, and tokens are looked up by their hash. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a text, which the database alone then doesn't reveal. @param secret JWT_SECRET */
export function seal(secret: string, text: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, sealingKey(secret), iv)
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted])
}

/** Decrypts what `seal` encrypted; null if that was with another secret. */
export function unseal(secret: string, sealed: Buffer): string | null {
  const decipher = createDecipheriv(CIPHER, sealingKey(secret), sealed.subarray(0, IV_BYTES))
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const text = decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

const sealingKeys = new Map<string, KeyObject>()

/** A different key from the one that signs tokens. Derived once: a process has one secret. */
function sealingKey(secret: string): KeyObject {
  const known = sealingKeys.get(secret)
  if (known) return known
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'sealed', 32)))
  sealingKeys.set(secret, key)
  return key
}
