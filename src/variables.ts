/** Without a default, the description says what an unset variable means. */
export type Variable = { description: string; default?: string }

/** Every environment variable that the service reads (contract section 2). */
export const VARIABLES = {
  NODE_ENV: {
    description: 'development, test or production, which refuses unsafe defaults',
    default: 'development',
  },
  HOST: { description: 'Address to listen on', default: '127.0.0.1' },
  PORT: { description: 'Port to listen on; 0: any free port', default: '3000' },
  DATA_DIR: { description: 'Embedded database, local files and generated secrets', default: '.data' },
  DATABASE_URL: {
    description: 'PostgreSQL 15 or later with a UTF-8 locale; unset: an embedded server in DATA_DIR',
  },
  JWT_SECRET: {
    description: 'At least 64 hexadecimal characters; unset: generated once into DATA_DIR',
  },
  JWT_EXPIRATION_MS: { description: 'Lifetime of a token in milliseconds', default: '86400000' },
  ADMIN_EMAIL: { description: 'First SUPER_ADMIN, created if there is none; unset: admin@shop.local' },
  ADMIN_PASSWORD: {
    description: 'At least 8 characters, in production 12; unset: generated once into DATA_DIR',
  },
  CORS_ALLOWED_ORIGINS: { description: 'Comma-separated origins; unset: none' },
  TRUST_PROXY: {
    description:
      'Proxies whose X-Forwarded-For counts: addresses, CIDR ranges or names such as loopback, comma-separated; unset: none; true (not in production): all',
  },
  SUPPLIER_BASE_URL: {
    description: "The supplier's API; unset: the demo supplier inside the process",
  },
  SUPPLIER_AUTH_TYPE: { description: 'TOKEN or BASIC', default: 'TOKEN' },
  SUPPLIER_TOKEN: { description: 'For TOKEN', default: '' },
  SUPPLIER_USERNAME: { description: 'For BASIC', default: '' },
  SUPPLIER_PASSWORD: { description: 'For BASIC', default: '' },
  SUPPLIER_REQUEST_DELAY_MS: {
    description: 'Milliseconds between the starts of two requests; 0 with the demo supplier',
    default: '2000',
  },
  SUPPLIER_TIME_ZONE: { description: "Time zone of the supplier's dates", default: 'UTC' },
  SYNC_CRON: {
    description: "Schedule of the supplier's sync, in UTC, with seconds",
    default: '0 */5 * * * *',
  },
  VISIBILITY_CRON: { description: 'Schedule that hides empty categories', default: '0 */5 * * * *' },
  XML_FEED_URL: { description: "The supplier's XML feed; unset: none" },
  GBSTORE_SCRAPING_ENABLED: { description: 'Whether images are scraped', default: 'true' },
  GBSTORE_SCRAPING_DELAY_MS: {
    description: 'Milliseconds between two requests to a host; 0 with the demo supplier',
    default: '1000',
  },
  GBSTORE_SCRAPING_USER_AGENT: { description: 'User-Agent of the scraper', default: 'ShopImageFetcher/1.0' },
  GBSTORE_SCRAPING_JOB_DELAY_MS: {
    description: 'Milliseconds between the end of a run and the next one',
    default: '60000',
  },
  GBSTORE_SCRAPING_BATCH_SIZE: { description: 'Products worked on at a time, at most 4', default: '10' },
  GBSTORE_SCRAPING_ALLOWED_HOSTS: {
    description: 'Comma-separated host[:port] that may resolve to private addresses; unset: none',
  },
  S3_ENDPOINT: { description: 'Object storage, scheme://host[:port]; unset: files in DATA_DIR' },
  S3_REGION: { description: 'Region of the bucket', default: 'us-east-1' },
  S3_BUCKET: { description: 'Needed with S3_ENDPOINT' },
  S3_ACCESS_KEY: { description: 'Needed with S3_ENDPOINT' },
  S3_SECRET_KEY: { description: 'Needed with S3_ENDPOINT' },
  SMTP_URL: { description: 'smtp:// or smtps://; unset: mail is written to DATA_DIR/mail' },
  MAIL_FROM: { description: 'Sender of mail', default: 'Shop <no-reply@shop.local>' },
  SITE_URL: {
    description: 'Public address of the storefront; unset: http://HOST:PORT',
  },
  SHOP_TIME_ZONE: { description: "Time zone of the shop's calendar", default: 'UTC' },
  RATE_LIMIT_LOGIN_PAIR: { description: 'Failed logins per address and email; 0: no limit', default: '10' },
  RATE_LIMIT_LOGIN_ADDRESS: { description: 'Failed logins per address; 0: no limit', default: '50' },
  RATE_LIMIT_LOGIN_EMAIL: { description: 'Failed logins per email; 0: no limit', default: '100' },
  RATE_LIMIT_REGISTER: { description: 'Registrations per address; 0: no limit', default: '20' },
  RATE_LIMIT_ORDERS: { description: 'Orders per address; 0: no limit', default: '120' },
  RATE_LIMIT_COST: {
    description:
      'KB of bodies per second from one network, or requests that cost as much, except from staff; 0: no limit',
    default: '64',
  },
  JOBS_ENABLED: { description: 'false: this instance only serves requests', default: 'true' },
  CACHE_MAX_AGE_SECONDS: {
    description: 'Seconds for which clients may use public catalogue answers without asking again',
    default: '0',
  },
  WEBHOOK_ALLOWED_HOSTS: {
    description: 'Comma-separated host[:port] that webhooks may reach although private; unset: none',
  },
  METRICS_TOKEN: {
    description: 'Bearer token for /metrics, at least 32 characters; unset: only for ADMIN',
  },
  LOG_REQUESTS: {
    description: 'Level of the one line per request: fatal to trace, or off; shown if LOG_LEVEL admits it',
    default: 'debug',
  },
  LOG_LEVEL: { description: 'fatal, error, warn, info, debug, trace or silent', default: 'info' },
  DEMO_CATALOGUE: { description: 'Folder of gzipped NDJSON for the demo supplier; unset: generated' },
  DEMO_CHANGES_PER_MINUTE: { description: 'Changes that the demo supplier makes', default: '5' },
} as const satisfies Record<string, Variable>

export type VariableName = keyof typeof VARIABLES
export type VariableWithDefault = {
  [Name in VariableName]: (typeof VARIABLES)[Name] extends { default: string } ? Name : never
}[VariableName]

export const REQUIRED_IN_PRODUCTION = ['DATABASE_URL', 'JWT_SECRET', 'SUPPLIER_BASE_URL', 'SITE_URL'] as const

/** The text of `.env.example`; `npm run env:example` writes it. */
export function envExample(): string {
  const entries = Object.entries<Variable>(VARIABLES).map(
    ([name, { description, default: value = '' }]) => `# ${description}\n#${name}=${value}\n`,
  )
  return `# Environment variables with their defaults. Docker Compose reads .env by itself; without it:
# node --env-file=.env src/server.ts
# NODE_ENV=production requires ${REQUIRED_IN_PRODUCTION.join(', ')}.

${entries.join('\n')}`
}

if (import.meta.main) process.stdout.write(envExample())
