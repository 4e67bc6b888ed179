import { Socket } from 'node:net'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { preparedName } from './prepared.ts'
import type { AlertsTable } from './tables/alerts.ts'
import type { ApiKeysTable } from './tables/api-keys.ts'
import type { AuditLogTable } from './tables/audit-log.ts'
import type { BrandsTable } from './tables/brands.ts'
import type { CategoriesTable, DeletedCategoriesTable } from './tables/categories.ts'
import type { CategoryRegexFiltersTable } from './tables/category-filters.ts'
import type { ContactRequestsTable } from './tables/contact-requests.ts'
import type { BannerBlocksTable, FeatureItemsTable, ReviewsTable } from './tables/content.ts'
import type { ImagesTable, ProductImagesTable } from './tables/images.ts'
import type { JobRunsTable } from './tables/job-runs.ts'
import type { LicencePricesTable, LicenceTopupsTable } from './tables/licence.ts'
import type { MailsTable } from './tables/mails.ts'
import type {
  OrderHistoryTable,
  OrderIdempotencyKeysTable,
  OrderItemsTable,
  OrderSubmitAttemptsTable,
  OrdersTable,
} from './tables/orders.ts'
import type { PasswordResetsTable } from './tables/password-resets.ts'
import type {
  AttributeRulesTable,
  CategoryMappingsTable,
  ProductFeedDataTable,
  XmlFeedCategoriesTable,
  XmlPipelineRunsTable,
  XmlPipelineStagesTable,
  XmlSkippedOffersTable,
  XmlSnapshotOffersTable,
  XmlSnapshotsTable,
  XmlStagedCategoriesTable,
  XmlStagedOffersTable,
} from './tables/pipeline.ts'
import type { ProductSalesTable } from './tables/product-sales.ts'
import type {
  AttributeSettingsTable,
  DeletedProductsTable,
  ProductAttributesTable,
  ProductsTable,
  StockTable,
  UnsanitizedProductsTable,
} from './tables/products.ts'
import type {
  PublicationChecksTable,
  PublicationChunksTable,
  PublicationRequestsTable,
  PublicationsTable,
} from './tables/publications.ts'
import type { LoginNetworksTable, RateLimitsTable } from './tables/rate-limits.ts'
import type {
  ImageDownloadLogTable,
  ProductImageOverridesTable,
  ScrapeQueueTable,
} from './tables/scraping.ts'
import type { SettingsTable } from './tables/settings.ts'
import type { SlugHistoryTable } from './tables/slug-history.ts'
import type {
  SyncFullLoadsTable,
  SyncMissedTable,
  SyncRunsTable,
  SyncRunTypesTable,
  SyncSeenProductsTable,
  SyncSkippedRecordsTable,
  SyncStateTable,
} from './tables/sync.ts'
import type { ProductTagsTable, TagsTable } from './tables/tags.ts'
import type { UsersTable } from './tables/users.ts'
import type { WebhookDeliveriesTable, WebhooksTable } from './tables/webhooks.ts'

export type Tables = {
  alerts: AlertsTable
  api_keys: ApiKeysTable
  app_config: SettingsTable
  attribute_rules: AttributeRulesTable
  attribute_settings: AttributeSettingsTable
  audit_log: AuditLogTable
  banner_blocks: BannerBlocksTable
  brands: BrandsTable
  categories: CategoriesTable
  category_mappings: CategoryMappingsTable
  category_regex_filters: CategoryRegexFiltersTable
  contact_requests: ContactRequestsTable
  deleted_categories: DeletedCategoriesTable
  deleted_products: DeletedProductsTable
  feature_items: FeatureItemsTable
  gbstore_image_download_log: ImageDownloadLogTable
  gbstore_scrape_queue: ScrapeQueueTable
  images: ImagesTable
  job_runs: JobRunsTable
  license_prices: LicencePricesTable
  license_topups: LicenceTopupsTable
  login_networks: LoginNetworksTable
  mails: MailsTable
  order_history: OrderHistoryTable
  order_idempotency_keys: OrderIdempotencyKeysTable
  order_items: OrderItemsTable
  order_submit_attempts: OrderSubmitAttemptsTable
  orders: OrdersTable
  password_resets: PasswordResetsTable
  product_attributes: ProductAttributesTable
  product_feed_data: ProductFeedDataTable
  product_image_overrides: ProductImageOverridesTable
  product_images: ProductImagesTable
  product_sales: ProductSalesTable
  product_tags: ProductTagsTable
  products: ProductsTable
  publication_checks: PublicationChecksTable
  publication_chunks: PublicationChunksTable
  publication_requests: PublicationRequestsTable
  publications: PublicationsTable
  rate_limits: RateLimitsTable
  reviews: ReviewsTable
  slug_history: SlugHistoryTable
  stock: StockTable
  sync_full_loads: SyncFullLoadsTable
  sync_missed: SyncMissedTable
  sync_run_types: SyncRunTypesTable
  sync_runs: SyncRunsTable
  sync_seen_products: SyncSeenProductsTable
  sync_skipped_records: SyncSkippedRecordsTable
  sync_state: SyncStateTable
  tags: TagsTable
  unsanitized_products: UnsanitizedProductsTable
  users: UsersTable
  webhook_deliveries: WebhookDeliveriesTable
  webhooks: WebhooksTable
  xml_feed_categories: XmlFeedCategoriesTable
  xml_pipeline_runs: XmlPipelineRunsTable
  xml_pipeline_stages: XmlPipelineStagesTable
  xml_skipped_offers: XmlSkippedOffersTable
  xml_snapshot_offers: XmlSnapshotOffersTable
  xml_snapshots: XmlSnapshotsTable
  xml_staged_categories: XmlStagedCategoriesTable
  xml_staged_offers: XmlStagedOffersTable
}

/** A pool or a transaction: the parameter of query functions that need no lock. */
export type Db = Kysely<Tables>
/** The parameter of query functions that need a transaction. */
export type Trx = Transaction<Tables>

export type Database = {
  db: Db
  pool: pg.Pool
  /** The pool's connections, and the queries that wait for one. */
  counts(): { max: number; total: number; idle: number; waiting: number }
  /** Closes the connections that receive nothing in the next seconds: the server may have gone silent. */
  suspectSilence(): void
  close(): Promise<void>
}

/** numeric and date stay text: money must not become a float, and a date has no time zone. bigint is used for counts. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
types.setTypeParser(pg.types.builtins.NUMERIC, String)
types.setTypeParser(pg.types.builtins.DATE, String)

const QUERY_TIMEOUT_MS = 20_000
/** From the timeout of a query, or the suspicion that the server is silent, to the end of a connection. */
const SILENCE_MS = 5000

/** Random reads are cheap on SSDs; with the default the planner prefers reading whole tables to using an index. */
const SERVER_SETTINGS = '-c random_page_cost=1.1'

/**
 * pg reuses the connection of a query that timed out although it still waits for a response. Therefore connections without
 * traffic for longer than any query may take are closed.
 */
function createSocket(queryTimeoutMs: number): Socket {
  const socket = new Socket()
  socket.on('timeout', () => socket.destroy(new Error('The database stopped responding')))
  return socket.setTimeout(socketTimeoutMs(queryTimeoutMs))
}

const socketTimeoutMs = (queryTimeoutMs: number) => queryTimeoutMs && queryTimeoutMs + SILENCE_MS

/**
 * Connection settings with timeouts, so that a server that stops responding doesn't exhaust the pool (contract section 11).
 * @param queryTimeoutMs 0 disables the timeouts, for migrations and for connections of locks
 */
export function connectionSettings(databaseUrl: string, queryTimeoutMs = QUERY_TIMEOUT_MS): pg.ClientConfig {
  const limits = queryTimeoutMs
    ? {
        query_timeout: queryTimeoutMs,
        statement_timeout: queryTimeoutMs - 1000,
        lock_timeout: Math.min(10_000, queryTimeoutMs),
        // As long as the socket's timeout, so that a lost client's transaction releases its locks.
        idle_in_transaction_session_timeout: queryTimeoutMs + SILENCE_MS,
        stream: () => createSocket(queryTimeoutMs),
      }
    : {}
  return {
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'shop-backend',
    options: SERVER_SETTINGS,
    types,
    ...limits,
  }
}

/**
 * Creates a pool; it connects with the first query.
 * @param onLost called when a connection breaks
 */
export function openDatabase(
  databaseUrl: string,
  onLost: (error: Error) => void,
  { max = 10, queryTimeoutMs = QUERY_TIMEOUT_MS, lockTimeoutMs = undefined as number | undefined } = {},
): Database {
  const sockets = new Set<Socket>()
  const stream = (): Socket => {
    const socket = createSocket(queryTimeoutMs)
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  }
  const pool = new pg.Pool({
    ...connectionSettings(databaseUrl, queryTimeoutMs),
    ...(lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }),
    stream,
    max,
    idleTimeoutMillis: 10_000,
  })
  // The pool handles errors of idle connections only: one that breaks between two queries of a transaction would end
  // the process. The next query on a broken connection rejects.
  pool.on('connect', (client) => {
    client.on('error', onLost)
    const { query } = client
    Object.defineProperty(client, 'query', {
      value: (...args: unknown[]) => Reflect.apply(query, client, withName(args)),
    })
  })
  pool.on('error', () => {})
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  function suspectSilence(): void {
    const suspects = [...sockets]
    for (const socket of suspects) socket.setTimeout(SILENCE_MS)
    const restore = () => {
      for (const socket of suspects) socket.setTimeout(socketTimeoutMs(queryTimeoutMs))
    }
    setTimeout(restore, SILENCE_MS + 1000).unref()
  }
  return {
    db,
    pool,
    counts: () => ({ max, total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    suspectSilence,
    close: () => db.destroy(),
  }
}

/** Adds the name of a prepared statement to the arguments of pg's `query`. */
function withName(args: unknown[]): unknown[] {
  const [text, values, ...rest] = args
  const name = typeof text === 'string' ? preparedName(text) : undefined
  return name === undefined ? args : [{ name, text, values }, ...rest]
}
