import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { databaseFault } from '../db/errors.ts'
import type { EnvironmentConfig } from './config.ts'
import { StartError } from './errors.ts'

/** Makes the folder that everything embedded lives in. @throws StartError when it can't be written */
export async function claimDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true })
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    const remedy = 'let the user of this process write there, or set DATA_DIR to another folder'
    throw new StartError(`DATA_DIR ${dataDir} can't be written (${codeOf(error)}): ${remedy}.`, {
      cause: error,
    })
  }
}

/** What keeps the server from listening, as a StartError; what isn't foreseen as it is. */
export function listenRefusal(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const where = `port ${port} of ${host}`
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(`The ${where} is in use: stop what listens there, or set PORT to another.`)
    case 'EACCES':
      return new StartError(`The ${where} is not for this user: set PORT to one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST ${host} is no address of this machine: set it to one, or to 0.0.0.0.`)
    default:
      return error
  }
}

/** The same for the database. The address may hold a password: only its host and name are repeated. */
export function databaseRefusal(error: unknown, databaseUrl: string): unknown {
  const { host, pathname } = new URL(databaseUrl)
  const code = codeOf(error)
  if (/^28/.test(code)) {
    return new StartError(`The database at ${host} refuses the user or the password: correct DATABASE_URL.`)
  }
  if (code === '3D000') {
    const name = decodeURIComponent(pathname.slice(1))
    return new StartError(
      `The database "${name}" is not there at ${host}: create it, or correct DATABASE_URL.`,
    )
  }
  if (code === '42501') {
    return new StartError(
      `The user of DATABASE_URL may not create tables at ${host}: make it the owner of the database.`,
    )
  }
  switch (databaseFault(error)) {
    case 'AWAY':
      return new StartError(
        `The database at ${host} does not answer (${code}): start it, or correct DATABASE_URL.`,
      )
    case 'READ_ONLY':
      return new StartError(`The database at ${host} is read-only: set DATABASE_URL to the primary server.`)
    default:
      return error
  }
}

/** The same for the object storage; without one of its own it lies in DATA_DIR. */
export function storageRefusal(error: unknown, s3: EnvironmentConfig['s3']): unknown {
  if (!s3) return error
  const { host } = new URL(s3.endpoint)
  switch (codeOf(error)) {
    case 'AccessDenied':
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
      return new StartError(
        `The object storage at ${host} refuses the key, or the bucket "${s3.bucket}" to it: correct S3_ACCESS_KEY, S3_SECRET_KEY, S3_REGION or S3_BUCKET.`,
        { cause: error },
      )
    default:
      return new StartError(
        `The object storage at ${host} can't be used (${codeOf(error)}): start it, or correct S3_ENDPOINT.`,
        { cause: error },
      )
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && error.code ? String(error.code) : error.message
}
