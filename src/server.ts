import { mkdir } from 'node:fs/promises'
import closeWithGrace from 'close-with-grace'
import { pino } from 'pino'
import { readConfig } from './config.ts'
import { ConfigError } from './errors.ts'
import { type RunningShop, startShop } from './start.ts'

/** The process: configuration, start, and an end that leaves nothing behind (contract section 11). */
async function main(): Promise<void> {
  const config = readConfig()
  const pretty = process.stdout.isTTY
    ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } } }
    : {}
  const log = pino({ level: config.logLevel, ...pretty })
  await mkdir(config.dataDir, { recursive: true })

  let shop: RunningShop | undefined
  const starting = startShop(config, log)
  closeWithGrace(
    { delay: 9000, logger: { error: (...parts: unknown[]) => log.error(parts) } },
    async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'stopping after an error that nobody caught')
      else log.info({ signal }, 'stopping')
      await (shop ?? (await starting)).stop()
      log.info('stopped')
    },
  )
  shop = await starting
}

main().catch((error: unknown) => {
  // Before the logger works, and for mistakes of the operator's, one line says more than a stack.
  const message = error instanceof ConfigError ? error.message : error
  console.error('The shop could not start:', message)
  process.exit(1)
})
