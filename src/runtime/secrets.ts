import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KEY_PREFIX } from '../rules/accounts/api-keys.ts'

/**
 * Reads a secret from a file that only its owner can read, or creates it. Processes that start together get the same.
 * @param make generates the secret
 */
export async function readOrCreateSecret(
  folder: string,
  name: string,
  make: () => string,
): Promise<{ value: string; isNew: boolean }> {
  const path = join(folder, name)
  const existing = await readFile(path, 'utf8').catch(nullIfMissing)
  if (existing !== null) return { value: existing.trim(), isNew: false }
  const draft = `${path}.${process.pid}`
  await writeFile(draft, `${make()}\n`, { mode: 0o600, flush: true })
  try {
    await link(draft, path)
    return { value: (await readFile(path, 'utf8')).trim(), isNew: true }
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
    return { value: (await readFile(path, 'utf8')).trim(), isNew: false }
  } finally {
    await rm(draft, { force: true })
  }
}

/** 64 bytes in hexadecimal, as the specification asks for JWT_SECRET. */
export function newJwtSecret(): string {
  return randomBytes(64).toString('hex')
}

export function newApiKey(): string {
  return KEY_PREFIX + randomBytes(32).toString('base64url')
}

/** A password that is easy to copy from a terminal. */
export function newPassword(): string {
  return randomBytes(12).toString('base64url')
}

function nullIfMissing(error: unknown): null {
  if (isCode(error, 'ENOENT')) return null
  throw error
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
