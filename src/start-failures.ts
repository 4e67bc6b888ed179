import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { databaseFault } from '../db/errors.ts'
import type { EnvironmentConfig } from './config.ts'
import { codeOf, messageOf, StartError } from './errors.ts'

// Each message is one sentence: what failed, the reported reason, the remedy. Of the database's URL, which may contain a
// password, only the host is shown.

/** Creates the data folder. @throws StartError if it isn't writable */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true })
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const remedy = "give this process's user write access, or set another folder"
    throw new StartError(`DATA_DIR ${dataDir} is not writable (${reasonOf(cause)}): ${remedy}.`, { cause })
  }
}

const UNUSABLE_ADDRESS = /^(EADDRINUSE|EADDRNOTAVAIL|EACCES|ENOTFOUND|EAI_AGAIN)$/

/** Explains a foreseen failure to listen as a StartError; returns any other error as it is. */
export function explainListenError(error: unknown, { host, port }: { host: string; port: number }): unknown {
  if (!UNUSABLE_ADDRESS.test(String(codeOf(error)))) return error
  const remedy = 'set an address of this machine and a free port'
  return new StartError(`HOST ${host} and PORT ${port} can't be used (${reasonOf(error)}): ${remedy}.`)
}

/**
 * No right to create tables, no schema for them, an encoding without Cyrillic, no ICU, no file of certificates, no sessions, a
 * schema that can't be upgraded.
 */
const WRONG_DATABASE = /^(42501|3F000|22P05|42704|ENOENT|POOLER|OUTDATED)$/

/** Does the same for the database. */
export function explainDatabaseError(error: unknown, databaseUrl: string): unknown {
  const isForeseen = databaseFault(error) === 'UNAVAILABLE' || WRONG_DATABASE.test(String(codeOf(error)))
  if (!isForeseen) return error
  const isOutdated = codeOf(error) === 'OUTDATED'
  const remedy = isOutdated
    ? 'start the last 0.1.0 on it first, then this version'
    : 'it must name a UTF-8 database that runs, accepts writes and belongs to its user'
  const { host } = new URL(databaseUrl)
  return new StartError(`DATABASE_URL${host && ` at ${host}`} can't be used (${reasonOf(error)}): ${remedy}.`)
}

/** Does the same for the demo supplier. */
export function explainDemoError(cause: unknown, catalogue: string | undefined): unknown {
  if (catalogue === undefined) return cause
  return new StartError(
    `DEMO_CATALOGUE ${catalogue} can't be read (${reasonOf(cause)}): it must be a folder with categories.ndjson.gz, brands.ndjson.gz and products.ndjson.gz.`,
  )
}

/** Does the same for the object storage. */
export function explainStorageError(cause: unknown, s3: EnvironmentConfig['s3']): unknown {
  if (!s3) return cause
  const reason = `S3_ENDPOINT ${s3.endpoint} can't be used with S3_BUCKET ${s3.bucket} (${reasonOf(cause)})`
  return new StartError(`${reason}: start the server, or correct the variables S3_*.`)
}

/** Node's error about several addresses has a code but no message. */
function reasonOf(error: unknown): string {
  return messageOf(error) || String(codeOf(error))
}
