import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { migrate } from '../db/migrate.ts'
import { superAdminExists } from '../db/queries/accounts/users.ts'
import { hasCyrillicClasses } from '../db/queries/operations/figures.ts'
import { startJobs } from '../jobs/index.ts'
import { buildApp } from './app.ts'
import type { Config, EnvironmentConfig } from './config.ts'
import type { Deps } from './deps.ts'
import { messageOf, StartError } from './errors.ts'
import { newJwtSecret, newPassword, readOrCreateSecret } from './runtime/secrets.ts'
import { startTracing } from './runtime/tracing.ts'
import { ensureFirstAdmin } from './services/accounts/users.ts'
import { insertJobFlags, nextCronRun } from './services/operations/jobs.ts'
import { PIPELINE } from './services/pipeline/runs.ts'
import { recordJobRun, recoverRuns } from './services/runs.ts'
import { enqueueImageless } from './services/scraping/queue.ts'
import { runScraping } from './services/scraping/run.ts'
import { announceFullLoad, runFirstSync, SYNC } from './services/supplier/sync.ts'
import { sealSecrets } from './services/webhooks/secrets.ts'
import { openShop } from './shop.ts'
import {
  explainDatabaseError,
  explainDemoError,
  explainListenError,
  explainStorageError,
  prepareDataDir,
} from './start-failures.ts'

export type RunningShop = { app: FastifyInstance; url: string; stop(): Promise<void> }

/** `started` stops what has been started. */
type Start = { environment: EnvironmentConfig; log: FastifyBaseLogger; started: AsyncDisposableStack }

const STEP_RETRY_MS = 2000

/**
 * Starts the whole service, including its embedded parts.
 * @throws StartError for a fault that the operator can fix; parts that had started are stopped again
 */
export async function startShop(environment: EnvironmentConfig, log: FastifyBaseLogger): Promise<RunningShop> {
  const started = new AsyncDisposableStack()
  try {
    for (const message of environment.misspelt) log.warn(message)
    await prepareDataDir(environment.dataDir)
    const { endpoint, ratio } = environment.traces
    if (endpoint !== undefined) started.defer(await startTracing({ endpoint, ratio }, log))
    const config = await completeConfig({ environment, log, started })
    const shop = openShop(config, log)
    const { deps } = shop
    started.defer(shop.close)
    // In parallel, since building the app needs no database. Both settle before a failure is thrown: neither may still
    // run while the parts are stopped.
    const parts = [
      migrate(config.databaseUrl, (err) => log.warn({ err }, 'migration repeated')).catch((error: unknown) => {
        throw explainDatabaseError(error, config.databaseUrl)
      }),
      buildApp(config, deps, log).then((app) => {
        started.defer(() => app.close())
        return app
      }),
    ] as const
    await Promise.allSettled(parts)
    const [applied, app] = await Promise.all(parts)
    if (applied.length > 0) log.info({ count: applied.length, last: applied.at(-1) }, 'migrations applied')
    if (!(await hasCyrillicClasses(deps.db)))
      log.warn(
        "the database's LC_CTYPE knows no Cyrillic letters, which makes staff's searches slow: see docs/operations.md",
      )
    const listening = shop.listen()
    await createAdmin(config, deps)
    const url = await app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
      throw explainListenError(error, config)
    })
    const storefront = config.storefrontEnabled ? `storefront: ${url}/, ` : ''
    const console = config.consoleEnabled ? `console: ${url}/console/, ` : ''
    log.info(
      `listening; ${storefront}${console}documentation: ${url}/swagger-ui.html, products: ${url}/api/v1/products`,
    )
    void listening.then(deps.productSearch.start)
    if (!config.mail.smtpUrl)
      log[config.production ? 'warn' : 'info']('SMTP_URL is not set: mail is written to DATA_DIR/mail')

    // Parts stop in reverse order: first the shutdown is announced to clients, then requests and background tasks finish
    // together, because some requests wait for tasks.
    started.defer(async () => {
      await app.connections.drain()
      await Promise.all([deps.tasks.stop(), app.close()])
    })
    if (config.jobsEnabled) started.defer(startJobs(deps))
    startBackgroundSteps(deps, { url, isDemo: environment.supplier.baseUrl === undefined })
    return { app, url, stop: () => started.disposeAsync() }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

/** Starts the steps that requests don't wait for; those that fail are repeated. */
function startBackgroundSteps(deps: Deps, { url, isDemo }: { url: string; isDemo: boolean }): void {
  const { config, storage } = deps
  retryStep(deps, 'prepare storage', () =>
    storage.prepare().catch((error: unknown) => {
      throw explainStorageError(error, config.s3)
    }),
  )
  retryStep(deps, 'insert job flags', () => insertJobFlags(deps))
  retryStep(deps, 'seal webhook secrets', () => sealSecrets(deps))
  retryStep(deps, 'recover pipeline', () => recoverRuns(deps, PIPELINE))
  // One step, because the recovery briefly holds the lock of the sync.
  retryStep(deps, 'recover sync', async () => {
    await recoverRuns(deps, SYNC)
    if (!config.jobsEnabled) return announceFullLoad(deps, { url, next: null })
    if (!isDemo) return announceFullLoad(deps, { url, next: nextCronRun(config.syncCron) })
    const { finished } = await runFirstSync(deps)
    void finished.then(() => retryStep(deps, 'fetch images', (signal) => fetchImages(deps, signal)))
  })
}

/** Fetches images of the demo supplier's products, so that a new shop has some; a run of the job in progress takes them over. */
async function fetchImages(deps: Deps, signal: AbortSignal): Promise<void> {
  await enqueueImageless(deps)
  await recordJobRun(deps, 'image-scraping', { dueAt: null, signal }, async () => {
    await runScraping(deps)
    return { error: null }
  })
}

/** Runs a step in the background, and repeats it until it succeeds or the shop stops. */
function retryStep({ tasks, log }: Deps, step: string, work: (signal: AbortSignal) => Promise<void>): void {
  const attempts = tasks.run(async (signal) => {
    while (!signal.aborted) {
      try {
        return await work(signal)
      } catch (err) {
        // A StartError says all that the operator needs.
        if (err instanceof StartError) log.warn({ step }, err.message)
        else if (!signal.aborted) log.warn({ err, step }, 'start step failed')
      }
      await delay(STEP_RETRY_MS, undefined, { signal }).catch(() => {})
    }
  })
  attempts.catch(() => {})
}

/** Starts or generates what the environment doesn't configure: database, supplier and the key that signs tokens. */
async function completeConfig(start: Start): Promise<Config> {
  const { environment } = start
  const complete = {
    ...environment,
    databaseUrl: environment.databaseUrl ?? (await startDatabase(start)),
    jwtSecret: environment.jwtSecret ?? (await readOrCreateSecret(environment.dataDir, 'jwt-secret', newJwtSecret)),
  }
  const { supplier, xmlFeedUrl, scraping } = environment
  const { baseUrl } = supplier
  if (baseUrl !== undefined) return { ...complete, supplier: { ...supplier, baseUrl } }
  const { startInProcess } = await import('../demo/in-process.ts')
  const demo = await startInProcess(environment).catch((error: unknown) => {
    throw explainDemoError(error, environment.demo.catalogue)
  })
  start.started.defer(() => demo.close())
  start.log.info(`SUPPLIER_BASE_URL is not set: demo supplier started; its storefront: ${demo.siteUrl}`)
  return {
    ...complete,
    supplier: { ...supplier, baseUrl: demo.url },
    xmlFeedUrl: xmlFeedUrl ?? demo.feedUrl,
    // A private address, which the scraper would otherwise refuse.
    scraping: { ...scraping, allowedHosts: [...scraping.allowedHosts, new URL(demo.siteUrl).host] },
  }
}

async function startDatabase({ environment: { dataDir }, log, started }: Start): Promise<string> {
  const { startEmbeddedPostgres } = await import('../db/embedded/server.ts')
  const server = await startEmbeddedPostgres(dataDir).catch((error: unknown) => {
    throw new StartError(messageOf(error), { cause: error })
  })
  started.defer(server.stop)
  log.info({ dataDir }, 'DATABASE_URL is not set: embedded PostgreSQL started')
  return server.url
}

/** Creates the first SUPER_ADMIN (docs/accounts.md). A generated password is logged once and stored in a file. */
async function createAdmin({ admin, production, dataDir }: Config, deps: Deps): Promise<void> {
  // Checked first, or a restored shop would get a file with a password that isn't its administrator's.
  if (await superAdminExists(deps.db)) {
    if (admin) deps.log.info('ADMIN_EMAIL and ADMIN_PASSWORD are not used: an administrator exists')
    return
  }
  if (admin) {
    if (await ensureFirstAdmin(deps, admin)) deps.log.info('first administrator created')
  } else if (production) {
    deps.log.warn('no administrator exists: set ADMIN_EMAIL and ADMIN_PASSWORD, and restart')
  } else {
    const email = 'admin@shop.local'
    const password = await readOrCreateSecret(dataDir, 'admin-password', newPassword)
    const login = `${email}, password ${password} (stored in ${join(dataDir, 'admin-password')})`
    if (await ensureFirstAdmin(deps, { email, password })) deps.log.info(`first administrator created: ${login}`)
  }
}
