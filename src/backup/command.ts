import { resolve } from 'node:path'
import { pino } from 'pino'
import { type EnvironmentConfig, readConfig } from '../config.ts'
import { explainDatabaseError, prepareDataDir } from '../start-failures.ts'
import { messagesOf } from './archive.ts'

/** Where the shop's files are. */
export type Place = Pick<EnvironmentConfig, 's3' | 'dataDir'>

/**
 * Runs a command whose only argument is the path of an archive, logs its result, and sets the process's exit code. Without
 * DATABASE_URL it uses the embedded database, which it starts unless a shop runs it.
 */
export async function runCommand(
  name: 'backup' | 'restore',
  work: (place: Place, databaseUrl: string, path: string) => Promise<object>,
): Promise<void> {
  const [path] = process.argv.slice(2)
  let stop = async () => {}
  let databaseUrl: string | null = null
  try {
    if (!path || process.argv.length > 3) throw new Error(`Usage: npm run ${name} -- FILE`)
    const config = readConfig()
    if (config.databaseUrl !== undefined) databaseUrl = config.databaseUrl
    else ({ url: databaseUrl, stop } = await openEmbedded(config.dataDir))
    const result = await work(config, databaseUrl, resolve(path))
    pino({ level: config.logLevel }).info({ path: resolve(path), ...result }, `${name} finished`)
  } catch (thrown) {
    const error = databaseUrl === null ? thrown : explainDatabaseError(thrown, databaseUrl)
    console.error(`The ${name} failed:`, messagesOf(error))
    process.exitCode = 1
  } finally {
    await stop()
  }
}

/** Finds the embedded database of a shop that runs, or starts one. Imported when needed: the image leaves it out. */
async function openEmbedded(dataDir: string) {
  const { findRunningPostgres, startEmbeddedPostgres } = await import('../../db/embedded/server.ts')
  const url = await findRunningPostgres(dataDir)
  if (url !== null) return { url, stop: async () => {} }
  await prepareDataDir(dataDir)
  return startEmbeddedPostgres(dataDir)
}
