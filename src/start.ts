import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { startEmbeddedPostgres } from '../db/embedded/server.ts'
import { migrate } from '../db/migrate.ts'
import { startJobs } from '../jobs/index.ts'
import { buildApp } from './app.ts'
import type { Config, Settings } from './config.ts'
import type { Deps } from './deps.ts'
import { keptSecret, newJwtSecret, newPassword } from './runtime/secrets.ts'
import { ensureFirstAdmin } from './services/accounts/users.ts'
import { runFirstSync } from './services/supplier/runs.ts'
import { recoverSync } from './services/supplier/sync.ts'
import { openShop } from './shop.ts'

export type RunningShop = { app: FastifyInstance; url: string; stop(): Promise<void> }

type Stoppable = { stop(): Promise<void> }

/**
 * Starts all of it, embedded parts included, and says in the log where it is. What was started is stopped again when
 * a later part fails.
 */
export async function startShop(config: Config, log: FastifyBaseLogger): Promise<RunningShop> {
  const started: Stoppable[] = []
  const stop = async (): Promise<void> => {
    for (let part = started.pop(); part !== undefined; part = started.pop()) await part.stop()
  }
  try {
    const settings = await completeSettings(config, log, started)
    const applied = await migrate(settings.databaseUrl)
    if (applied.length > 0) log.info({ applied }, 'database schema brought up to date')

    const shop = openShop(settings, log)
    const { deps } = shop
    started.push({ stop: shop.close })
    void shop.hear()
    await createAdmin(settings, deps)
    const app = await buildApp(settings, deps, log)
    started.push({ stop: () => app.close() })
    const url = await app.listen({ host: settings.host, port: settings.port })
    log.info(`storefront and administration API: ${url}/api/v1 — its description: ${url}/swagger-ui.html`)
    if (!settings.mail.smtpUrl) log.info('mail is written to files in DATA_DIR/mail: SMTP_URL is not set')

    await recoverSync(deps)
    if (settings.jobsEnabled) started.push(startJobs(deps))
    if (settings.jobsEnabled && !config.supplier.baseUrl) await runFirstSync(deps)
    // Last in, first out: the run under way ends its page, and orders on their way to the supplier are waited for,
    // before the jobs and the requests are.
    started.push({ stop: deps.tasks.stop })
    return { app, url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Fills in what the environment left to us: database, supplier, and the key that signs tokens. */
async function completeSettings(
  config: Config,
  log: FastifyBaseLogger,
  started: Stoppable[],
): Promise<Settings> {
  return {
    ...config,
    databaseUrl: config.databaseUrl ?? (await startDatabase(config, log, started)),
    jwtSecret: config.jwtSecret ?? (await keptSecret(config.dataDir, 'jwt-secret', newJwtSecret)).value,
    supplier: {
      ...config.supplier,
      baseUrl: config.supplier.baseUrl ?? (await startDemoSupplier(config, log, started)),
    },
  }
}

async function startDatabase(config: Config, log: FastifyBaseLogger, started: Stoppable[]): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir })
  started.push(server)
  log.info({ dataDir: config.dataDir }, 'embedded PostgreSQL started: DATABASE_URL is not set')
  return server.url
}

async function startDemoSupplier(
  config: Config,
  log: FastifyBaseLogger,
  started: Stoppable[],
): Promise<string> {
  const demo = await import('../demo/in-process.ts')
  const supplier = await demo.startInProcess(config)
  started.push({ stop: () => supplier.close() })
  log.info(`demo supplier started: SUPPLIER_BASE_URL is not set; its storefront: ${supplier.siteUrl}`)
  return supplier.url
}

/** The first SUPER_ADMIN (contract section 2); a password that we made up is shown once and kept in a file. */
async function createAdmin(settings: Settings, deps: Deps): Promise<void> {
  const made = settings.admin ?? (settings.production ? undefined : await localAdmin(settings))
  if (made === undefined) return
  const created = await ensureFirstAdmin(deps, made)
  if (!created) return
  if (settings.admin) deps.log.info(`first administrator created: ${made.email}`)
  else
    deps.log.info(
      `first administrator: ${made.email}, password ${made.password} (kept in ${adminFile(settings)})`,
    )
}

async function localAdmin(settings: Settings): Promise<{ email: string; password: string }> {
  const { value } = await keptSecret(settings.dataDir, 'admin-password', newPassword)
  return { email: 'admin@shop.local', password: value }
}

function adminFile({ dataDir }: Settings): string {
  return join(dataDir, 'admin-password')
}
