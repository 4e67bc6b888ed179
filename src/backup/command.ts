import { type Logger, pino } from 'pino'
import { type EnvironmentConfig, readConfig } from '../config.ts'
import { prepareDataDir } from '../start-failures.ts'
import { messageOf } from './archive.ts'

type Command = {
  path: string
  config: EnvironmentConfig
  log: Logger
  /** Returns the URL of the database; starts the embedded one if DATABASE_URL is unset and no shop runs it. */
  openDatabase(): Promise<string>
}

/** Exit code of a command that did its work, but found objects missing. */
const OBJECTS_MISSING = 2

/**
 * Runs a command whose only argument is the path of an archive, and sets the process's exit code.
 * @param work returns whether every object was there
 */
export async function runCommand(
  name: 'backup' | 'restore',
  work: (command: Command) => Promise<boolean>,
): Promise<void> {
  const [path] = process.argv.slice(2)
  let stop = async () => {}
  try {
    if (!path || process.argv.length > 3) throw new Error(`Usage: npm run ${name} -- FILE`)
    const config = readConfig()
    const log = pino({ level: config.logLevel })
    const isComplete = await work({
      ...{ path, config, log },
      async openDatabase() {
        if (config.databaseUrl !== undefined) return config.databaseUrl
        const { findRunningPostgres, startEmbeddedPostgres } = await import('../../db/embedded/server.ts')
        const running = name === 'backup' ? await findRunningPostgres(config.dataDir) : null
        if (running !== null) return running
        await prepareDataDir(config.dataDir)
        const server = await startEmbeddedPostgres({ dataDir: config.dataDir, log })
        stop = server.stop
        return server.url
      },
    })
    if (!isComplete) process.exitCode = OBJECTS_MISSING
  } catch (error) {
    console.error(`The ${name} failed:`, messageOf(error))
    process.exitCode = 1
  } finally {
    await stop()
  }
}
