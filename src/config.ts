import { isIP } from 'node:net'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { type Environment, environmentReader, type Reader } from './environment.ts'
import { ConfigError } from './errors.ts'
import { RANGE_NAMES } from './rules/accounts/client-address.ts'
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from './rules/accounts/credentials.ts'

const ONE_SENDER = /^(?:[^<>@,;\r\n]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/

/** Everything the environment decides. Contract section 2 lists the variables and their defaults. */
export type EnvironmentConfig = {
  production: boolean
  host: string
  port: number
  /** Undefined: an embedded PostgreSQL server in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  /** Undefined: generated once into `dataDir`. */
  jwtSecret: string | undefined
  jwtExpirationMs: number
  admin: { email: string; password: string } | undefined
  corsAllowedOrigins: string[]
  /** Whose `X-Forwarded-For` counts: everybody's, nobody's, or that of these addresses and ranges. */
  trustProxy: boolean | string[]
  supplier: SupplierConfig
  /** What the demo supplier shows when it runs in the process. */
  demo: { catalogue: string | undefined; changesPerMinute: number }
  syncCron: string
  visibilityCron: string
  scraping: {
    enabled: boolean
    delayMs: number
    userAgent: string
    jobDelayMs: number
    batchSize: number
    /** `host[:port]` that may resolve to private addresses. */
    allowedHosts: string[]
  }
  xmlFeedUrl: string | undefined
  /** Undefined: files in `dataDir`. */
  s3: { endpoint: string; region: string; bucket: string; accessKey: string; secretKey: string } | undefined
  mail: { smtpUrl: string | undefined; from: string }
  siteUrl: string
  shopTimeZone: string
  rateLimits: {
    loginPair: number
    loginAddress: number
    loginEmail: number
    register: number
    orders: number
  }
  jobsEnabled: boolean
  logLevel: string
}

export type SupplierConfig = {
  /** Undefined: the demo supplier is started in the process. */
  baseUrl: string | undefined
  token: string
  username: string
  password: string
  authType: 'TOKEN' | 'BASIC'
  requestDelayMs: number
  timeZone: string
}

/** The configuration with what start-up has filled in: addresses of database and supplier, the key that signs tokens. */
export type Config = EnvironmentConfig & {
  databaseUrl: string
  jwtSecret: string
  supplier: SupplierConfig & { baseUrl: string }
}

/**
 * Reads and checks the environment, once, at start (contract section 2).
 * @throws ConfigError that names every variable that is missing or malformed
 */
export function readConfig(environment: Environment = process.env): EnvironmentConfig {
  const read = environmentReader(environment)
  const production = environment.NODE_ENV === 'production'
  // For the name Fastify would open a second server, past what plugins/connections.ts bounds and ends.
  const host = read.text('HOST')?.replace(/^localhost$/i, '127.0.0.1') ?? '127.0.0.1'
  const port = read.integer('PORT', 3000, 0, 65_535)
  const config: EnvironmentConfig = {
    production,
    host,
    port,
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    dataDir: resolve(read.text('DATA_DIR') ?? '.data'),
    jwtSecret: readJwtSecret(read, production),
    jwtExpirationMs: read.integer('JWT_EXPIRATION_MS', 86_400_000, 1000, 31_536_000_000),
    admin: readAdmin(read, production),
    corsAllowedOrigins: readOrigins(read),
    trustProxy: readTrustProxy(read, production),
    supplier: {
      baseUrl: read.url('SUPPLIER_BASE_URL', ['http:', 'https:'])?.replace(/\/+$/, ''),
      token: read.text('SUPPLIER_TOKEN') ?? '',
      username: read.text('SUPPLIER_USERNAME') ?? '',
      password: read.text('SUPPLIER_PASSWORD') ?? '',
      authType: read.oneOf('SUPPLIER_AUTH_TYPE', ['TOKEN', 'BASIC'], 'TOKEN'),
      // The demo supplier is ours alone: nobody has to be spared.
      requestDelayMs: read.integer(
        'SUPPLIER_REQUEST_DELAY_MS',
        read.text('SUPPLIER_BASE_URL') ? 2000 : 0,
        0,
        3_600_000,
      ),
      timeZone: read.timeZone('SUPPLIER_TIME_ZONE'),
    },
    demo: {
      catalogue: read.text('DEMO_CATALOGUE'),
      changesPerMinute: read.integer('DEMO_CHANGES_PER_MINUTE', 5, 0, 100_000),
    },
    syncCron: read.cron('SYNC_CRON', '0 */5 * * * *'),
    visibilityCron: read.cron('VISIBILITY_CRON', '0 */5 * * * *'),
    scraping: {
      enabled: read.boolean('GBSTORE_SCRAPING_ENABLED', true),
      // As above.
      delayMs: read.integer(
        'GBSTORE_SCRAPING_DELAY_MS',
        read.text('SUPPLIER_BASE_URL') ? 1000 : 0,
        0,
        3_600_000,
      ),
      userAgent: read.text('GBSTORE_SCRAPING_USER_AGENT') ?? 'ShopImageFetcher/1.0',
      jobDelayMs: read.integer('GBSTORE_SCRAPING_JOB_DELAY_MS', 60_000, 0, 86_400_000),
      batchSize: read.integer('GBSTORE_SCRAPING_BATCH_SIZE', 10, 1, 1000),
      allowedHosts: read.list('GBSTORE_SCRAPING_ALLOWED_HOSTS'),
    },
    xmlFeedUrl: read.url('XML_FEED_URL', ['http:', 'https:']),
    s3: readS3(read),
    mail: {
      smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:']),
      from:
        read.matching('MAIL_FROM', ONE_SENDER, 'must be one address, as a@b.c or Name <a@b.c>') ??
        'Shop <no-reply@shop.local>',
    },
    siteUrl: (
      read.url('SITE_URL', ['http:', 'https:']) ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    ).replace(/\/+$/, ''),
    shopTimeZone: read.timeZone('SHOP_TIME_ZONE'),
    rateLimits: {
      loginPair: read.integer('RATE_LIMIT_LOGIN_PAIR', 10, 0, 1_000_000),
      loginAddress: read.integer('RATE_LIMIT_LOGIN_ADDRESS', 50, 0, 1_000_000),
      loginEmail: read.integer('RATE_LIMIT_LOGIN_EMAIL', 100, 0, 1_000_000),
      register: read.integer('RATE_LIMIT_REGISTER', 20, 0, 1_000_000),
      orders: read.integer('RATE_LIMIT_ORDERS', 120, 0, 1_000_000),
    },
    jobsEnabled: read.boolean('JOBS_ENABLED', true),
    logLevel: read.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
  }
  if (production) {
    for (const variable of ['DATABASE_URL', 'JWT_SECRET', 'SUPPLIER_BASE_URL', 'SITE_URL']) {
      if (read.text(variable) === undefined) read.refuse(variable, 'must be set in production')
    }
  }
  const problems = read.problems()
  if (problems.length > 0) throw new ConfigError(...problems)
  return config
}

function readJwtSecret(read: Reader, production: boolean): string | undefined {
  const secret = read.matching('JWT_SECRET', /^[0-9a-f]{64,}$/i, 'must be at least 64 hexadecimal characters')
  if (production && secret !== undefined && /^(.)\1*$/.test(secret)) {
    read.refuse('JWT_SECRET', 'must be random in production: it is one character over and over')
  }
  return secret
}

function readAdmin(read: Reader, production: boolean): EnvironmentConfig['admin'] {
  const email = read.text('ADMIN_EMAIL')
  const password = read.text('ADMIN_PASSWORD')
  if (email === undefined && password === undefined) return undefined
  if (email === undefined) read.refuse('ADMIN_EMAIL', 'must be set together with ADMIN_PASSWORD')
  else if (!/^[^\s@]+@[^\s@]+$/.test(email)) read.refuse('ADMIN_EMAIL', 'must be an email address')
  const least = production ? 12 : MIN_PASSWORD_LENGTH
  if (password === undefined) read.refuse('ADMIN_PASSWORD', 'must be set together with ADMIN_EMAIL')
  else if ([...password].length < least || Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    const where = production ? ' in production' : ''
    const problem = `must have at least ${least} characters${where} and at most ${MAX_PASSWORD_BYTES} bytes`
    read.refuse('ADMIN_PASSWORD', problem)
  }
  return email === undefined || password === undefined ? undefined : { email, password }
}

function readOrigins(read: Reader): string[] {
  const origins = read.list('CORS_ALLOWED_ORIGINS')
  for (const origin of origins) {
    if (origin === '*') {
      read.refuse('CORS_ALLOWED_ORIGINS', 'must list origins: credentials are allowed, so * is not')
    } else if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      read.refuse('CORS_ALLOWED_ORIGINS', `holds ${origin}, which is no origin (scheme://host[:port])`)
    }
  }
  return origins
}

function readTrustProxy(read: Reader, production: boolean): EnvironmentConfig['trustProxy'] {
  const value = read.text('TRUST_PROXY')
  if (value === undefined || value === 'false') return false
  if (value === 'true') {
    if (production) {
      read.refuse(
        'TRUST_PROXY',
        'must list the addresses of the proxies in production: anybody can forge the header',
      )
    }
    return true
  }
  if (/^\d+$/.test(value)) {
    read.refuse('TRUST_PROXY', 'must be true, false or a list of addresses: a number of hops can be forged')
    return false
  }
  const entries = read.list('TRUST_PROXY')
  const wrong = entries.find((entry) => !isAddressRange(entry))
  if (wrong !== undefined) read.refuse('TRUST_PROXY', `holds ${wrong}, which is no address`)
  return entries
}

/** An address, one with a prefix length, or a range's name. */
function isAddressRange(entry: string): boolean {
  if (RANGE_NAMES.includes(entry)) return true
  if (isIP(entry) !== 0) return true
  const isRange = ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry)
  // Who trusts everybody says `true`.
  return isRange && !/\/0+$/.test(entry)
}

const S3_BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

function readS3(read: Reader): EnvironmentConfig['s3'] {
  const needed = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const
  const given = needed.filter((variable) => read.text(variable) !== undefined)
  if (given.length === 0) return undefined
  const endpoint = read.url('S3_ENDPOINT', ['http:', 'https:'])
  for (const variable of needed) {
    if (!given.includes(variable)) read.refuse(variable, `must be set together with ${given.join(', ')}`)
  }
  if (endpoint !== undefined && !isOrigin(endpoint)) {
    read.refuse('S3_ENDPOINT', 'must be scheme://host[:port] and nothing more')
  }
  return {
    endpoint: endpoint ?? '',
    region: read.text('S3_REGION') ?? 'us-east-1',
    bucket:
      read.matching(
        'S3_BUCKET',
        S3_BUCKET_NAME,
        'must be 3 to 63 lower-case letters, digits, dots and hyphens',
      ) ?? '',
    accessKey: read.text('S3_ACCESS_KEY') ?? '',
    secretKey: read.text('S3_SECRET_KEY') ?? '',
  }
}

function isOrigin(address: string): boolean {
  return new URL(address).href === `${new URL(address).origin}/`
}
