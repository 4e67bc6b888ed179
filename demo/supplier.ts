import Fastify from 'fastify'
import { addFaults } from './answer-faults.ts'
import { addApiRoutes } from './api-routes.ts'
import type { Catalogue } from './catalogue.ts'
import { addControlRoutes } from './control-routes.ts'
import { Faults } from './faults.ts'
import { type DemoOrder, OrderBook } from './orders.ts'
import { productPictures } from './product-page.ts'
import { monotonicNow, RequestLog } from './request-log.ts'
import { addSiteRoutes, DEFAULT_ROBOTS, type Storefront } from './site-routes.ts'
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
  /** Base URL of links to the storefront, when clients reach it by another name. */
  readonly publicUrl?: string | undefined
  /** Enables /demo/faults, /demo/changes and /demo/orders. */
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
  readonly faults: Faults
  /** Orders received; a repeated reference adds none. */
  readonly orders: readonly DemoOrder[]
  readonly requests: RequestLog
  /** Parts of the storefront that a test may replace. */
  readonly storefront: Storefront
  /** URLs of the original pictures on a product's page, in page order; empty for an unknown product. */
  pictureUrls(productId: string): string[]
  /** Stops listening and drops open connections; idempotent. */
  close(): Promise<void>
}

const API_PREFIX = '/api'
const CONTROL_PREFIX = '/demo'
const MINUTE_MS = 60_000

/**
 * Starts the supplier's API (contract section 8) and storefront on one port.
 * @throws Error when the port is taken or the time zone unknown
 */
export async function startDemoSupplier(options: DemoSupplierOptions): Promise<DemoSupplier> {
  const { catalogue, host = '127.0.0.1', port = 0, authType = 'TOKEN', changesPerMinute = 0 } = options
  const { token, username, password, log = () => undefined } = options
  const time = supplierTime(options.timeZone ?? 'UTC')
  const faults = new Faults()
  const requests = new RequestLog()
  const orderBook = new OrderBook(catalogue)
  const storefront: Storefront = { robots: DEFAULT_ROBOTS }
  let siteUrl = ''

  // Requests that hang on purpose must not delay close().
  const app = Fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 1000 },
    ajv: { customOptions: { coerceTypes: false, allowUnionTypes: true } },
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith(CONTROL_PREFIX)) return
    const record = requests.add(request.method, request.url, request.headers)
    const end = () => {
      record.finishedAt ??= monotonicNow()
      record.status = reply.raw.headersSent ? reply.raw.statusCode : null
    }
    // 'close' comes only after a client in this process has read the response.
    reply.raw.once('finish', end).once('close', end)
  })
  addFaults(app, faults, `${API_PREFIX}/`, CONTROL_PREFIX)
  app.register(
    async (api) =>
      addApiRoutes(api, {
        catalogue,
        credentials: { token, username, password, authType },
        time,
        faults,
        orderBook,
        siteUrl: () => siteUrl,
      }),
    { prefix: API_PREFIX },
  )
  app.register(async (site) => addSiteRoutes(site, { catalogue, time, storefront, siteUrl: () => siteUrl }))
  if (options.control === true) {
    app.register(async (control) => addControlRoutes(control, { catalogue, faults, orderBook }), {
      prefix: CONTROL_PREFIX,
    })
  }
  await app.listen({ host, port })
  const address = app.server.address()
  const listening = typeof address === 'object' ? address?.port : undefined
  siteUrl = options.publicUrl?.replace(/\/+$/, '') ?? `http://${reachable(host)}:${listening ?? port}`
  const timer = changesPerMinute > 0 ? changeEachMinute(catalogue, changesPerMinute, log) : undefined
  log(`demo supplier: ${siteUrl}${API_PREFIX}, ${catalogue.products.size} products`)

  return {
    url: siteUrl + API_PREFIX,
    siteUrl,
    feedUrl: `${siteUrl}/feed.xml`,
    catalogue,
    faults,
    orders: orderBook.orders,
    requests,
    storefront,
    pictureUrls: (productId) => {
      const product = catalogue.products.get(productId)
      return product === undefined ? [] : productPictures(product, siteUrl)
    },
    close: async () => {
      clearInterval(timer)
      await app.close()
    },
  }
}

function changeEachMinute(catalogue: Catalogue, count: number, log: (message: string) => void): NodeJS.Timeout {
  const timer = setInterval(() => {
    const changed = catalogue.changeSome(count)
    log(`demo supplier: changed ${changed.length} products`)
  }, MINUTE_MS)
  return timer.unref()
}

/** Replaces a wildcard address, which clients can't connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
