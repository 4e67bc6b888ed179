import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDatabase } from '../../db/database.ts'
import { generateCatalogue } from '../../demo/generate.ts'
import { type FaultySupplier, startFaultySupplier } from '../support/faulty-supplier.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'
import { killGroup, type ServingProcess, startServing } from '../support/serving-process.ts'
import { type SmtpFake, startSmtp } from '../support/smtp.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { type Answer, accepted, type Request, send } from './client.ts'
import { createMeter, type Meter } from './meter.ts'
import { untilDone } from './patience.ts'
import type { Postgres } from './postgres.ts'
import { type FaultProxy, startProxy } from './proxy.ts'

export type WorldOptions = {
  /** Images are objects of an S3 server instead of files. */
  s3?: boolean
  /** Background jobs run, and mail goes to a server. */
  jobs?: boolean
  /** The database starts empty, without a process. */
  empty?: boolean
  products?: number
}

/** An instance of the shop, in a process of its own. */
export type Instance = {
  /** Waits for a start in progress. @throws Error if it doesn't run */
  url(): Promise<string>
  /** Starts the process unless it runs. */
  start(): Promise<void>
  kill(): Promise<void>
  /** Stops and continues the process. */
  signal(name: NodeJS.Signals): void
  /** Whether it ended unasked. */
  died(): boolean
  output(): string
  /** Between it and PostgreSQL. */
  database: FaultProxy
  dataDir: string
}

/** A shop with all its neighbours, each behind a proxy. */
export type World = {
  db: Db
  databaseUrl: string
  supplier: FaultySupplier
  smtp: SmtpFake
  s3: S3Server | null
  webhooks: WebhookReceiver
  meter: Meter
  proxies: { supplier: FaultProxy; storage: FaultProxy; mail: FaultProxy; webhooks: FaultProxy }
  instance: Instance
  /** Adds an instance on the same database, with a data folder of its own. */
  addInstance(): Promise<Instance>
  /** Sends a request as the administrator; `token: ''` sends none. */
  call(method: string, path: string, request?: Request, instance?: Instance): Promise<Answer>
  token: string
  close(): Promise<void>
}

const ADMIN = { email: 'admin@example.test', password: 'campaign-password' }
const NEVER = '0 0 0 1 1 *'
/** Products with the smallest ids that never sell out. */
const STOCKED = 40

export async function startWorld(postgres: Postgres, options: WorldOptions = {}): Promise<World> {
  const database = await postgres.create(options.empty ? 'empty' : 'migrated')
  const meter = createMeter()
  const smtp = await startSmtp()
  const s3 = options.s3 ? await startS3Server() : null
  const webhooks = await startReceiver()
  const supplier = await startFaultySupplier({
    catalogue: stockedCatalogue(options.products ?? 250),
    token: 'supplier-token',
  })
  const proxies = {
    supplier: await startProxy('supplier', meter, { target: placeOf(supplier.url) }),
    storage: await startProxy('storage', meter, s3 ? { target: placeOf(s3.variables.S3_ENDPOINT) } : {}),
    mail: await startProxy('mail', meter, { target: { host: '127.0.0.1', port: smtp.port } }),
    webhooks: await startProxy('webhook', meter, { target: { host: '127.0.0.1', port: webhooks.port } }),
  }
  const supplierUrl = `http://127.0.0.1:${proxies.supplier.port}`
  const { db, close } = openDatabase(database.url, () => {}, { max: 3 })

  const environment: Record<string, string> = {
    JWT_SECRET: 'ab'.repeat(32),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    SUPPLIER_BASE_URL: `${supplierUrl}/api`,
    SUPPLIER_TOKEN: 'supplier-token',
    SUPPLIER_REQUEST_DELAY_MS: '0',
    XML_FEED_URL: `${supplierUrl}/feed.xml`,
    GBSTORE_SCRAPING_DELAY_MS: '0',
    GBSTORE_SCRAPING_JOB_DELAY_MS: '300',
    GBSTORE_SCRAPING_ALLOWED_HOSTS: `127.0.0.1:${proxies.supplier.port}`,
    SYNC_CRON: NEVER,
    VISIBILITY_CRON: NEVER,
    WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${proxies.webhooks.port}`,
    SMTP_URL: `smtp://127.0.0.1:${proxies.mail.port}`,
    JOBS_ENABLED: String(options.jobs === true),
    RATE_LIMIT_ORDERS: '0',
    ...s3?.variables,
    ...(s3 ? { S3_ENDPOINT: `http://127.0.0.1:${proxies.storage.port}` } : {}),
  }
  const instances: Instance[] = []
  async function addInstance(): Promise<Instance> {
    const proxy = await startProxy('database', meter, {
      target: placeOf(database.url),
      protocol: 'postgres',
    })
    const dataDir = await mkdtemp(join(tmpdir(), 'shop-faults-data-'))
    const instance = createInstance(proxy, database.url, { ...environment, DATA_DIR: dataDir })
    instances.push(instance)
    return instance
  }
  const instance = await addInstance()

  const world: World = {
    db,
    databaseUrl: database.url,
    supplier,
    smtp,
    s3,
    webhooks,
    meter,
    proxies,
    instance,
    addInstance,
    token: '',
    async call(method, path, request, on = instance) {
      return send(await on.url(), method, path, { token: world.token, ...request })
    },
    async close() {
      for (const { kill, database: proxy, dataDir } of instances) {
        await kill()
        await proxy.close()
        await rm(dataDir, { recursive: true, force: true })
      }
      await close()
      await database.drop()
      await supplier.close()
      for (const proxy of Object.values(proxies)) await proxy.close()
      await smtp.close()
      await webhooks.close()
      await s3?.close()
    },
  }
  if (options.empty) return world
  // On a busy machine a start may exceed the process's own timeouts.
  await untilDone('the process', () => instance.start())
  const login = await world.call('POST', '/api/v1/auth/login', { body: ADMIN })
  world.token = accepted<{ token: string }>(login, 200).token
  const synced = await world.call('POST', '/admin/sync/run?full=true&wait=true')
  const { status } = accepted<{ status: string }>(synced, 200)
  if (status !== 'SUCCEEDED') throw new Error(`The first sync ${status}: ${synced.text}`)
  return world
}

/** A catalogue of which some products have a page, a price and enough stock for thousands of orders. */
function stockedCatalogue(products: number) {
  const catalogue = generateCatalogue({ products })
  const sold = [...catalogue.products].filter(({ price, active }) => active && price !== null)
  for (const { id } of sold.slice(0, STOCKED)) catalogue.upsertProduct({ id, stock: 1_000_000 })
  return catalogue
}

function placeOf(url = ''): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

/** Kills the process group when this process ends, however it does: its end of the pipe closes. */
function killWithCampaign(child: ChildProcess): void {
  const script = 'read -r _; kill -KILL "-$0"'
  const reaper = spawn('/bin/sh', ['-c', script, String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.once('exit', () => reaper.kill('SIGKILL'))
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

function createInstance(
  database: FaultProxy,
  databaseUrl: string,
  environment: Record<string, string> & { DATA_DIR: string },
): Instance {
  const through = Object.assign(new URL(databaseUrl), { port: String(database.port) }).href
  let starting: Promise<ServingProcess> | undefined
  let child: ChildProcess | undefined
  let output = () => ''
  const ended = () => child !== undefined && !isAlive(child)

  function launch(): Promise<ServingProcess> {
    child = undefined
    const onSpawn = (spawned: ChildProcess) => {
      child = spawned
      killWithCampaign(spawned)
    }
    const launched = startServing(through, { environment, onSpawn })
    launched.catch(() => {})
    return launched
  }
  function signal(name: NodeJS.Signals): void {
    if (child && !ended()) killGroup(child, name)
  }

  return {
    async url() {
      if (starting === undefined) throw new Error('The process does not run')
      return (await starting).url
    },
    async start() {
      if (starting === undefined || ended()) starting = launch()
      output = (await starting).output
    },
    async kill() {
      const ending = starting
      starting = undefined
      signal('SIGKILL')
      const serving = await ending?.catch(() => undefined)
      await serving?.remove()
    },
    signal,
    died: () => starting !== undefined && ended(),
    output: () => output(),
    database,
    dataDir: environment.DATA_DIR,
  }
}
