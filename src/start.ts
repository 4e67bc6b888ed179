import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { migrate } from '../db/migrate.ts'
import { startJobs } from '../jobs/index.ts'
import { buildApp } from './app.ts'
import type { Config, EnvironmentConfig } from './config.ts'
import type { Deps } from './deps.ts'
import { StartError } from './errors.ts'
import { newJwtSecret, newPassword, readOrCreateSecret } from './runtime/secrets.ts'
import { ensureFirstAdmin } from './services/accounts/users.ts'
import { recoverPipeline } from './services/pipeline/run.ts'
import { fetchFirstImages } from './services/scraping/run.ts'
import { announceFirstSync, runFirstSync } from './services/supplier/runs.ts'
import { recoverSync } from './services/supplier/sync.ts'
import { openShop } from './shop.ts'
import { claimDataDir, databaseRefusal, listenRefusal, storageRefusal } from './start-failures.ts'

export type RunningShop = { app: FastifyInstance; url: string; stop(): Promise<void> }

type Stoppable = { stop(): Promise<void> }

/**
 * Starts all of it, embedded parts included, and says in the log where it is. What was started is stopped again when
 * a later part fails.
 */
export async function startShop(
  environment: EnvironmentConfig,
  log: FastifyBaseLogger,
): Promise<RunningShop> {
  const started: Stoppable[] = []
  const stop = async (): Promise<void> => {
    for (let part = started.pop(); part !== undefined; part = started.pop()) await part.stop()
  }
  try {
    await claimDataDir(environment.dataDir)
    const config = await completeConfig(environment, log, started)
    const shop = openShop(config, log)
    const { deps } = shop
    started.push({ stop: shop.close })
    // Side by side: while the database and the storage answer, what asks neither is built. All have ended before any
    // failure counts, so that nothing is stopped under them.
    const parts = [
      migrate(config.databaseUrl).catch((error: unknown) => {
        throw databaseRefusal(error, config.databaseUrl)
      }),
      deps.storage.prepare().catch((error: unknown) => {
        throw storageRefusal(error, config.s3)
      }),
      buildApp(config, deps, log).then((app) => {
        started.push({ stop: () => app.close() })
        return app
      }),
    ] as const
    await Promise.allSettled(parts)
    const [applied, , app] = await Promise.all(parts)
    if (applied.length > 0) log.info({ applied }, 'database schema brought up to date')
    const listening = shop.listen()
    await createAdmin(config, deps)
    const url = await app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
      throw listenRefusal(error, config)
    })
    log.info(`storefront and administration API: ${url}/api/v1 — its description: ${url}/swagger-ui.html`)
    void listening.then(deps.productSearch.start)
    if (!config.mail.smtpUrl) log.info('mail is written to files in DATA_DIR/mail: SMTP_URL is not set')

    await Promise.all([recoverSync(deps), recoverPipeline(deps)])
    // Last in, first out. Clients hear of the stop before the door is shut; then requests under way end, and beside
    // them the work that some of them wait for: the sync's page, orders on their way to the supplier.
    started.push({
      async stop() {
        await app.connections.drain()
        await Promise.all([deps.tasks.stop(), app.close()])
      },
    })
    const jobs = config.jobsEnabled ? startJobs(deps) : null
    if (jobs) started.push(jobs)
    if (jobs && !environment.supplier.baseUrl) {
      const { finished } = await runFirstSync(deps)
      void finished.then(() => fetchFirstImages(deps))
    } else await announceFirstSync(deps, { url, next: jobs?.nextRun('supplier-sync') ?? null })
    return { app, url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Fills in what the environment left to us: database, supplier, and the key that signs tokens. */
async function completeConfig(
  environment: EnvironmentConfig,
  log: FastifyBaseLogger,
  started: Stoppable[],
): Promise<Config> {
  const databaseUrl = environment.databaseUrl ?? (await startDatabase(environment, log, started))
  const jwtSecret =
    environment.jwtSecret ?? (await readOrCreateSecret(environment.dataDir, 'jwt-secret', newJwtSecret)).value
  const { supplier, xmlFeedUrl, scraping } = environment
  if (supplier.baseUrl !== undefined) {
    return { ...environment, databaseUrl, jwtSecret, supplier: { ...supplier, baseUrl: supplier.baseUrl } }
  }
  const demo = await startDemoSupplier(environment, log, started)
  return {
    ...environment,
    databaseUrl,
    jwtSecret,
    supplier: { ...supplier, baseUrl: demo.url },
    xmlFeedUrl: xmlFeedUrl ?? demo.feedUrl,
    // Of all private addresses this one is known to be ours.
    scraping: { ...scraping, allowedHosts: [...scraping.allowedHosts, new URL(demo.siteUrl).host] },
  }
}

async function startDatabase(
  config: EnvironmentConfig,
  log: FastifyBaseLogger,
  started: Stoppable[],
): Promise<string> {
  const { startEmbeddedPostgres } = await import('../db/embedded/server.ts')
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir }).catch((error: unknown) => {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error })
  })
  started.push(server)
  log.info({ dataDir: config.dataDir }, 'embedded PostgreSQL started: DATABASE_URL is not set')
  return server.url
}

async function startDemoSupplier(
  config: EnvironmentConfig,
  log: FastifyBaseLogger,
  started: Stoppable[],
): Promise<{ url: string; feedUrl: string; siteUrl: string }> {
  const demo = await import('../demo/in-process.ts')
  const supplier = await demo.startInProcess(config)
  started.push({ stop: () => supplier.close() })
  log.info(`demo supplier started: SUPPLIER_BASE_URL is not set; its storefront: ${supplier.siteUrl}`)
  return supplier
}

/** The first SUPER_ADMIN (contract section 2); a password that we made up is shown once and kept in a file. */
async function createAdmin(config: Config, deps: Deps): Promise<void> {
  const made = config.admin ?? (config.production ? undefined : await localAdmin(config))
  if (made === undefined) return
  const created = await ensureFirstAdmin(deps, made)
  if (!created) return
  if (config.admin) deps.log.info(`first administrator created: ${made.email}`)
  else
    deps.log.info(
      `first administrator: ${made.email}, password ${made.password} (kept in ${adminFile(config)})`,
    )
}

async function localAdmin(config: Config): Promise<{ email: string; password: string }> {
  const { value } = await readOrCreateSecret(config.dataDir, 'admin-password', newPassword)
  return { email: 'admin@shop.local', password: value }
}

function adminFile({ dataDir }: Config): string {
  return join(dataDir, 'admin-password')
}
