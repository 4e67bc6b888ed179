import { enableCompileCache, flushCompileCache } from 'node:module'
import closeWithGrace from 'close-with-grace'
import { pino } from 'pino'
import { readConfig } from './config.ts'
import { StartError } from './errors.ts'
import type { RunningShop } from './start.ts'

const STOP_TIMEOUT_MS = 9000
/** A signal that comes again so soon is the same one: npm and node --watch pass on what the terminal sends to all. */
const ECHO_MS = 1000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The process: configuration, start, and an end that leaves nothing behind (contract section 11). */
async function main(): Promise<void> {
  const config = readConfig()
  const pretty = process.stdout.isTTY
    ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } } }
    : {}
  const log = pino({ level: config.logLevel, ...pretty })

  // Keeps the compiled code of some thousand files for the next start.
  enableCompileCache()
  const { startShop } = await import('./start.ts')
  let shop: RunningShop | undefined
  const starting = startShop(config, log)
  const { close } = closeWithGrace(
    {
      delay: STOP_TIMEOUT_MS,
      skip: [...SIGNALS],
      logger: { error: (...parts: unknown[]) => log.error(parts) },
    },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'stopping after an error that nobody caught')
      await (shop ?? (await starting)).stop()
      log.info('stopped')
    },
  )
  let stopping: number | undefined
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stopping === undefined) {
        stopping = performance.now()
        log.info({ signal }, 'stopping')
        close()
      } else if (performance.now() - stopping > ECHO_MS) {
        log.warn({ signal }, 'stopped at once, at the second signal')
        process.exit(1)
      }
    })
  }
  shop = await starting
  // Node would write it at the end, which a process that is killed doesn't have, and hold 5 MB of it until then.
  flushCompileCache()
}

if (import.meta.main)
  main().catch((error: unknown) => {
    // For what the operator can mend, a sentence says more than a stack.
    const message = error instanceof StartError ? error.message : error
    console.error('The shop could not start:', message)
    process.exit(1)
  })
