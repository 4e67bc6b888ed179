import { type Logger, pino } from 'pino'
import { type EnvironmentConfig, readConfig } from '../config.ts'
import { prepareDataDir } from '../start-failures.ts'
import { messagesOf } from './archive.ts'

type Command = {
  path: string
  config: EnvironmentConfig
  log: Logger
  /** Returns the URL of the database; starts the embedded one if DATABASE_URL is unset and no shop runs it. */
  openDatabase(): Promise<string>
}

/** Runs a command whose only argument is the path of an archive, and sets the process's exit code. */
export async function runCommand(
  name: 'backup' | 'restore',
  work: (command: Command) => Promise<void>,
): Promise<void> {
  const [path] = process.argv.slice(2)
  let stop = async () => {}
  try {
    if (!path || process.argv.length > 3) throw new Error(`Usage: npm run ${name} -- FILE`)
    const config = readConfig()
    const log = pino({ level: config.logLevel })
    await work({
      path,
      config,
      log,
      async openDatabase() {
        if (config.databaseUrl !== undefined) return config.databaseUrl
        const { findRunningPostgres, startEmbeddedPostgres } = await import('../../db/embedded/server.ts')
        const running = name === 'backup' ? await findRunningPostgres(config.dataDir) : null
        if (running !== null) return running
        await prepareDataDir(config.dataDir)
        const server = await startEmbeddedPostgres(config.dataDir)
        stop = server.stop
        return server.url
      },
    })
  } catch (error) {
    console.error(`The ${name} failed:`, messagesOf(error))
    process.exitCode = 1
  } finally {
    await stop()
  }
}
