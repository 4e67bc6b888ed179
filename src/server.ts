import { enableCompileCache, flushCompileCache } from 'node:module'
import { format } from 'node:util'
import closeWithGrace from 'close-with-grace'
import { readConfig } from './config.ts'
import { StartError } from './errors.ts'
import { createLog } from './log.ts'

const STOP_TIMEOUT_MS = 9000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs the process: configuration, start and graceful shutdown (docs/operations.md). */
async function main(): Promise<void> {
  const config = readConfig()
  const pretty = process.stdout.isTTY
    ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } } }
    : {}
  const log = createLog({ level: config.logLevel, ...pretty })

  enableCompileCache()
  const { startShop } = await import('./start.ts')
  const starting = startShop(config, log)
  const { close } = closeWithGrace(
    { delay: STOP_TIMEOUT_MS, skip: [...SIGNALS], logger: { error: (...parts) => log.error(format(...parts)) } },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'uncaught error')
      await (await starting).stop()
      log.info('stopped')
    },
  )
  let isStopping = false
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // npm and node --watch repeat a signal that the terminal has already sent to the whole process group.
      if (isStopping) return
      isStopping = true
      log.info({ signal }, 'stopping')
      close()
    })
  }
  await starting
  // Node itself would write the cache at exit only, which a killed process never reaches, and hold 5 MB until then.
  flushCompileCache()
}

if (import.meta.main)
  main().catch((error: unknown) => {
    // The operator can fix a StartError, so its message is enough.
    console.error('The shop could not start:', error instanceof StartError ? error.message : error)
    process.exit(1)
  })
