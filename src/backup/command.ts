import { resolve } from 'node:path'
import { pino } from 'pino'
import { type EnvironmentConfig, readConfig } from '../config.ts'
import { prepareDataDir } from '../start-failures.ts'
import { messagesOf } from './archive.ts'

/**
 * Runs a command whose only argument is the path of an archive, logs its result, and sets the process's exit code.
 * @param work gets a function that returns the URL of the database; it starts the embedded one if DATABASE_URL is unset
 * and no shop runs it
 */
export async function runCommand(
  name: 'backup' | 'restore',
  work: (config: EnvironmentConfig, openDatabase: () => Promise<string>, path: string) => Promise<object>,
): Promise<void> {
  const [path] = process.argv.slice(2)
  let stop = async () => {}
  try {
    if (!path || process.argv.length > 3) throw new Error(`Usage: npm run ${name} -- FILE`)
    const config = readConfig()
    const log = pino({ level: config.logLevel })
    async function openDatabase(): Promise<string> {
      if (config.databaseUrl !== undefined) return config.databaseUrl
      const { findRunningPostgres, startEmbeddedPostgres } = await import('../../db/embedded/server.ts')
      const running = name === 'backup' ? await findRunningPostgres(config.dataDir) : null
      if (running !== null) return running
      await prepareDataDir(config.dataDir)
      const server = await startEmbeddedPostgres(config.dataDir)
      stop = server.stop
      return server.url
    }
    log.info({ path, ...(await work(config, openDatabase, resolve(path))) }, `${name} finished`)
  } catch (error) {
    console.error(`The ${name} failed:`, messagesOf(error))
    process.exitCode = 1
  } finally {
    await stop()
  }
}
