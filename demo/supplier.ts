import Fastify from 'fastify'
import { addApiRoutes } from './api-routes.ts'
import type { Catalogue } from './catalogue.ts'
import { addControlRoutes } from './control-routes.ts'
import { type DemoOrder, OrderBook } from './orders.ts'
import { addSiteRoutes } from './site-routes.ts'
import { supplierTime } from './supplier-time.ts'

export interface DemoSupplierOptions {
  readonly host?: string
  /** 0: any free port. */
  readonly port?: number
  readonly catalogue: Catalogue
  /** Unset: the API needs no token. */
  readonly token?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly authType?: 'TOKEN' | 'BASIC'
  /** IANA name of the time zone of `updatedAt` and `dateFrom`. */
  readonly timeZone?: string
  /** Number of products whose price and stock change each minute. */
  readonly changesPerMinute?: number
  /** Enables /demo/changes and /demo/orders. */
  readonly control?: boolean
  readonly log?: (message: string) => void
}

export interface DemoSupplier {
  /** Base URL of the API, without a trailing slash. */
  readonly url: string
  /** URL of the storefront, without a trailing slash. */
  readonly siteUrl: string
  readonly feedUrl: string
  readonly catalogue: Catalogue
  /** Orders received; a repeated reference adds none. */
  readonly orders: readonly DemoOrder[]
  /** Stops listening and drops open connections; idempotent. */
  close(): Promise<void>
}

const MINUTE_MS = 60_000

/**
 * Starts the supplier's API (docs/supplier.md) and storefront on one port. Links name the host that a request asked.
 * @throws Error when the port is taken or the time zone unknown
 */
export async function startDemoSupplier(options: DemoSupplierOptions): Promise<DemoSupplier> {
  const { catalogue, host = '127.0.0.1', port = 0, authType = 'TOKEN', changesPerMinute = 0 } = options
  const { token, username, password, log = () => undefined } = options
  const credentials = { token, username, password, authType }
  const time = supplierTime(options.timeZone ?? 'UTC')
  const orderBook = new OrderBook(catalogue)

  const app = Fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1000 },
    ajv: { customOptions: { coerceTypes: false, allowUnionTypes: true } },
  })
  app.register(async (api) => addApiRoutes(api, { catalogue, credentials, time, orderBook }), { prefix: '/api' })
  app.register(async (site) => addSiteRoutes(site, { catalogue, time }))
  if (options.control === true) {
    app.register(async (control) => addControlRoutes(control, { catalogue, orderBook }), { prefix: '/demo' })
  }
  await app.listen({ host, port })
  const address = app.server.address()
  const listening = typeof address === 'object' ? address?.port : undefined
  const siteUrl = `http://${reachable(host)}:${listening ?? port}`
  const change = () => log(`demo supplier: changed ${catalogue.changeSome(changesPerMinute).length} products`)
  const timer = changesPerMinute > 0 ? setInterval(change, MINUTE_MS).unref() : undefined

  return {
    url: `${siteUrl}/api`,
    siteUrl,
    feedUrl: `${siteUrl}/feed.xml`,
    catalogue,
    orders: orderBook.orders,
    close: async () => {
      clearInterval(timer)
      await app.close()
    },
  }
}

/** Replaces a wildcard address, which clients can't connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
