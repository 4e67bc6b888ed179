import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { databaseFault } from '../db/errors.ts'
import type { EnvironmentConfig } from './config.ts'
import { codeOf, messageOf, StartError } from './errors.ts'

/** Creates the data folder. @throws StartError if it isn't writable */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true })
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const remedy = "give this process's user write access, or set DATA_DIR to another folder"
    throw new StartError(`DATA_DIR ${dataDir} is not writable (${reasonOf(cause)}): ${remedy}.`, { cause })
  }
}

/** Explains a foreseen failure to listen as a StartError; returns any other error as it is. */
export function explainListenError(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const where = `Port ${port} of ${host}`
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(`${where} is in use: stop the process that listens there, or change PORT.`)
    case 'EACCES':
      return new StartError(`${where} needs more privileges: set PORT to one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST ${host} is not an address of this machine: set it to one, or to 0.0.0.0.`)
    default:
      return error
  }
}

/** The same for the database; messages contain host and name only, because the URL may contain a password. */
export function explainDatabaseError(error: unknown, databaseUrl: string): unknown {
  const { host, pathname } = new URL(databaseUrl)
  const code = reasonOf(error)
  const database = `The database at ${host}`
  if (/^28/.test(code)) {
    return new StartError(`${database} rejects the user or the password: correct DATABASE_URL.`)
  }
  if (code === '3D000') {
    const name = decodeURIComponent(pathname.slice(1))
    return new StartError(`There is no database "${name}" at ${host}: create it, or correct DATABASE_URL.`)
  }
  if (code === '42501') {
    return new StartError(`${database} doesn't let the user of DATABASE_URL create tables: make it the owner.`)
  }
  switch (databaseFault(error)) {
    case 'UNREACHABLE':
      return new StartError(`${database} does not respond (${code}): start it, or correct DATABASE_URL.`)
    case 'READ_ONLY':
      return new StartError(`${database} is read-only: set DATABASE_URL to the primary server.`)
    default:
      return error
  }
}

/** The same for the object storage. */
export function explainStorageError(cause: unknown, s3: EnvironmentConfig['s3']): unknown {
  if (!s3) return cause
  const storage = `The object storage at ${new URL(s3.endpoint).host}`
  const code = reasonOf(cause)
  const isRejected = ['AccessDenied', 'InvalidAccessKeyId', 'SignatureDoesNotMatch'].includes(code)
  const message = isRejected
    ? `${storage} rejects the key for bucket "${s3.bucket}": correct S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION or S3_BUCKET.`
    : `${storage} can't be used (${code}): start it, or correct S3_ENDPOINT.`
  return new StartError(message, { cause })
}

function reasonOf(error: unknown): string {
  return String(codeOf(error) ?? messageOf(error))
}
