import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { DestinationStream } from 'pino'
import type { Db } from '../../db/database.ts'
import { buildApp } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Deps } from '../../src/deps.ts'
import { createLog } from '../../src/log.ts'
import { openShop } from '../../src/shop.ts'
import { type ApiDocument, type Description, readDescription } from './api-description.ts'
import { createTestDatabase } from './database.ts'

type Answer = { status: number; headers: Headers; text: string; body: unknown }
/** `body` is sent as JSON, `text` unchanged, `form` as multipart. */
type Call = {
  token?: string
  body?: unknown
  text?: string
  form?: FormData
  headers?: Record<string, string>
}

/** How long to poll for what other instances show: less than the 30 seconds after which their caches expire anyway. */
export const SOON = { timeout: 20_000, interval: 20 }

export type TestShop = {
  url: string
  app: FastifyInstance
  deps: Deps
  /**
   * Sends a request over HTTP; parses JSON, doesn't follow redirects.
   * @throws Error if the response doesn't match the API description
   */
  call(method: string, path: string, call?: Call): Promise<Answer>
  close(): Promise<void>
}

/**
 * Starts a shop with its own database, data folder and port.
 * @param variables its environment
 * @param publishes whether it builds feeds and sitemap after changes and runs; that takes half of the time of a sync
 */
export async function startTestShop(
  variables: Record<string, string> = {},
  {
    databaseUrl,
    prepare,
    queryTimeoutMs,
    logTo,
    publishes = false,
  }: {
    databaseUrl?: string
    prepare?: (app: FastifyInstance) => void
    queryTimeoutMs?: number
    logTo?: DestinationStream
    publishes?: boolean
  } = {},
): Promise<TestShop> {
  const database = databaseUrl ? { url: databaseUrl, drop: async () => {} } : await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'shop-data-'))
  const environment = readConfig({
    JOBS_ENABLED: 'false',
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_COSTLY_PER_SECOND: '0',
    DATA_DIR: dataDir,
    ...variables,
  })
  const config: Config = {
    ...environment,
    databaseUrl: database.url,
    jwtSecret: 'ab'.repeat(32),
    // Nothing listens on the discard port; tests that need a supplier start one.
    supplier: { ...environment.supplier, baseUrl: environment.supplier.baseUrl ?? 'http://127.0.0.1:9' },
  }
  const log = createLog({ level: variables.LOG_LEVEL ?? 'silent' }, logTo)
  const { deps, listen, close } = openShop(config, log, { queryTimeoutMs, passwordCost: 4 })
  if (!publishes) withholdPublications(deps)
  if (variables.RATE_LIMIT_ORDERS === '0') await liftOrderLimits(deps.db)
  async function end(): Promise<void> {
    await close()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  await listen()
  const app = await buildApp(config, deps, log)
  prepare?.(app)
  const url = await app.listen({ host: '127.0.0.1', port: 0 }).catch(async (error: unknown) => {
    await end()
    throw error
  })
  return {
    url,
    app,
    deps,
    async call(method, path, call) {
      const answer = await send(url, method, path, call)
      const complaint = (await descriptionOf(app)).complaint(method, path, answer)
      if (complaint !== null) throw new Error(complaint)
      return answer
    },
    async close() {
      await app.close()
      await end()
    },
  }
}

let described: string | undefined
let description: Description | undefined

/** The text of the API description, which takes a second to build and is the same for all shops. */
export async function describedApi(app: FastifyInstance): Promise<string> {
  if (described === undefined) {
    const document: Pick<ApiDocument, 'paths'> = JSON.parse(JSON.stringify(app.swagger()))
    // Routes that a test adds have no id.
    for (const [path, item] of Object.entries(document.paths))
      if (!Object.values(item).every(({ operationId }) => operationId)) delete document.paths[path]
    described = JSON.stringify(document)
  }
  return described
}

export async function descriptionOf(app: FastifyInstance): Promise<Description> {
  description ??= readDescription(await describedApi(app))
  return description
}

/** Requests for a build get an outcome without one. */
function withholdPublications({ publications }: Deps): void {
  const outcome = {
    status: 'UNCHANGED' as const,
    entries: 0,
    excluded: {},
    reason: 'withheld',
    durationMs: 0,
  }
  for (const { builds } of Object.values(publications)) builds.runNext = async () => outcome
}

/** Disables the limits that are settings, for tests that place many orders. */
async function liftOrderLimits(db: Db): Promise<void> {
  const keys = ['order_limit_per_ip', 'order_limit_per_phone']
  await db.updateTable('app_config').set({ value: '0' }).where('key', 'in', keys).execute()
}

async function send(
  url: string,
  method: string,
  path: string,
  { token, body, headers, text: raw, form }: Call = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(raw === undefined ? {} : { body: raw }),
    ...(form === undefined ? {} : { body: form }),
  })
  const text = await response.text()
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}
