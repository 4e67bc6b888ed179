import { isIP } from 'node:net'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import {
  type Environment,
  type EnvironmentReader,
  environmentReader,
  findMisspelt,
  REQUIRED_IN_PRODUCTION,
  type VariableWithDefault,
} from './environment.ts'
import { StartError } from './errors.ts'
import { RANGE_NAMES } from './rules/accounts/client-address.ts'
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH, normalEmail } from './rules/accounts/credentials.ts'

const ONE_SENDER = /^(?:[^<>@,;\r\n]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/
const S3_BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** The configuration as the environment gives it. */
export type EnvironmentConfig = ReturnType<typeof readConfig>
export type SupplierConfig = EnvironmentConfig['supplier']

/** The configuration after start-up has filled in database, supplier and the key that signs tokens. */
export type Config = EnvironmentConfig & {
  databaseUrl: string
  jwtSecret: string
  supplier: SupplierConfig & { baseUrl: string }
}

const LINE_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
const HOUR_MS = 3_600_000

/**
 * Reads and checks the environment (docs/operations.md); environment.ts says what each variable means.
 * @throws StartError that names every variable that is missing or malformed
 */
export function readConfig(environment: Environment = process.env) {
  const read = environmentReader(environment)
  const production = read.oneOf('NODE_ENV', ['development', 'test', 'production']) === 'production'
  // For the name localhost Fastify would open a second server, which plugins/connections.ts doesn't control.
  const host = read.text('HOST').replace(/^localhost$/i, '127.0.0.1')
  const port = read.integer('PORT', 0, 65_535)
  // The demo supplier runs in this process: it needs no pauses between requests.
  const delayMs = (variable: 'SUPPLIER_REQUEST_DELAY_MS' | 'GBSTORE_SCRAPING_DELAY_MS') =>
    read.isSet(variable) || read.isSet('SUPPLIER_BASE_URL') ? read.integer(variable, 0, HOUR_MS) : 0
  const rateLimit = (variable: VariableWithDefault) => read.integer(variable, 0, 1_000_000)
  if (read.text('SUPPLIER_AUTH_TYPE') === 'BASIC' && !read.isSet('SUPPLIER_USERNAME'))
    read.reject('SUPPLIER_USERNAME', 'must be set with SUPPLIER_AUTH_TYPE=BASIC')
  read.check('JWT_SECRET', /^[0-9a-f]{64,}$/i, 'must be at least 64 hexadecimal characters')
  read.check('MAIL_FROM', ONE_SENDER, 'must be one address, as a@b.c or Name <a@b.c>')
  read.check('OTEL_TRACES_SAMPLER_ARG', /^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
  read.check('METRICS_TOKEN', /^[!-~]{32,}$/, 'must have at least 32 characters, and no spaces')
  const config = {
    production,
    host,
    port,
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    dataDir: resolve(read.text('DATA_DIR')),
    jwtSecret: read.text('JWT_SECRET'),
    jwtExpirationMs: read.integer('JWT_EXPIRATION_MS', 1000, 31_536_000_000),
    admin: readAdmin(read, production),
    corsAllowedOrigins: read.list(
      'CORS_ALLOWED_ORIGINS',
      'an origin (scheme://host[:port])',
      (origin) => URL.parse(origin)?.origin === origin,
    ),
    /** Whose `X-Forwarded-For` to trust: all clients, none, or these addresses and ranges. */
    trustProxy: readTrustProxy(read, production),
    supplier: {
      baseUrl: read.baseUrl('SUPPLIER_BASE_URL'),
      token: read.text('SUPPLIER_TOKEN'),
      username: read.text('SUPPLIER_USERNAME'),
      password: read.text('SUPPLIER_PASSWORD'),
      authType: read.oneOf('SUPPLIER_AUTH_TYPE', ['TOKEN', 'BASIC']),
      requestDelayMs: delayMs('SUPPLIER_REQUEST_DELAY_MS'),
      timeZone: read.timeZone('SUPPLIER_TIME_ZONE'),
    },
    demo: {
      catalogue: read.text('DEMO_CATALOGUE'),
      changesPerMinute: read.integer('DEMO_CHANGES_PER_MINUTE', 0, 100_000),
    },
    syncCron: read.cron('SYNC_CRON'),
    visibilityCron: read.cron('VISIBILITY_CRON'),
    scraping: {
      enabled: read.boolean('GBSTORE_SCRAPING_ENABLED'),
      delayMs: delayMs('GBSTORE_SCRAPING_DELAY_MS'),
      userAgent: read.text('GBSTORE_SCRAPING_USER_AGENT'),
      jobDelayMs: read.integer('GBSTORE_SCRAPING_JOB_DELAY_MS', 0, 24 * HOUR_MS),
      batchSize: read.integer('GBSTORE_SCRAPING_BATCH_SIZE', 1, 1000),
      allowedHosts: read.hosts('GBSTORE_SCRAPING_ALLOWED_HOSTS'),
    },
    xmlFeedUrl: read.url('XML_FEED_URL', ['http:', 'https:']),
    s3: readS3(read),
    mail: { smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:']), from: read.text('MAIL_FROM') },
    siteUrl: read.baseUrl('SITE_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    shopTimeZone: read.timeZone('SHOP_TIME_ZONE'),
    rateLimits: {
      loginPair: rateLimit('RATE_LIMIT_LOGIN_PAIR'),
      loginAddress: rateLimit('RATE_LIMIT_LOGIN_ADDRESS'),
      loginEmail: rateLimit('RATE_LIMIT_LOGIN_EMAIL'),
      register: rateLimit('RATE_LIMIT_REGISTER'),
      orders: rateLimit('RATE_LIMIT_ORDERS'),
      perSecond: rateLimit('RATE_LIMIT_PER_SECOND'),
      costlyPerSecond: rateLimit('RATE_LIMIT_COSTLY_PER_SECOND'),
    },
    wsMaxPerAddress: read.integer('WS_MAX_PER_ADDRESS', 1, 100_000),
    consoleEnabled: read.boolean('CONSOLE_ENABLED'),
    storefrontEnabled: read.flag('STOREFRONT_ENABLED', !read.isSet('SUPPLIER_BASE_URL')),
    cacheMaxAgeSeconds: read.integer('CACHE_MAX_AGE_SECONDS', 0, 31_536_000),
    webhookAllowedHosts: read.hosts('WEBHOOK_ALLOWED_HOSTS'),
    metricsToken: read.text('METRICS_TOKEN'),
    /** `ratio`: share of the traces that are exported. */
    traces: {
      endpoint: read.baseUrl('OTEL_EXPORTER_OTLP_ENDPOINT'),
      ratio: Number(read.text('OTEL_TRACES_SAMPLER_ARG')),
    },
    jobsEnabled: read.boolean('JOBS_ENABLED'),
    logRequests: read.oneOf('LOG_REQUESTS', [...LINE_LEVELS, 'off']),
    logLevel: read.oneOf('LOG_LEVEL', [...LINE_LEVELS, 'silent']),
    /** Variables that look misspelt. */
    misspelt: findMisspelt(environment),
  }
  if (production) {
    read.check('JWT_SECRET', /^(.)(?!\1*$)/, 'must be random in production: it repeats one character')
    for (const variable of REQUIRED_IN_PRODUCTION) {
      if (!read.isSet(variable)) read.reject(variable, 'must be set in production')
    }
  }
  const problems = Object.entries(read.problems).map((problem) => problem.join(' '))
  if (problems.length > 0) throw new StartError(problems.join('\n'))
  return config
}

function readAdmin(read: EnvironmentReader, production: boolean) {
  const written = read.text('ADMIN_EMAIL')
  const password = read.text('ADMIN_PASSWORD')
  if (written === undefined && password === undefined) return undefined
  const email = normalEmail(written ?? '')
  if (written === undefined) read.reject('ADMIN_EMAIL', 'must be set together with ADMIN_PASSWORD')
  else if (email === null) read.reject('ADMIN_EMAIL', 'must be an email address')
  const minLength = production ? 12 : MIN_PASSWORD_LENGTH
  if (password === undefined) read.reject('ADMIN_PASSWORD', 'must be set together with ADMIN_EMAIL')
  else if ([...password].length < minLength || Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    const where = production ? ' in production' : ''
    const problem = `must have at least ${minLength} characters${where} and at most ${MAX_PASSWORD_BYTES} bytes`
    read.reject('ADMIN_PASSWORD', problem)
  }
  return email === null || password === undefined ? undefined : { email, password }
}

function readTrustProxy(read: EnvironmentReader, production: boolean): boolean | string[] {
  const value = read.text('TRUST_PROXY')
  if (value === undefined || value === 'false') return false
  if (value === 'true') {
    if (production) read.reject('TRUST_PROXY', 'must list the proxies in production: anyone can forge the header')
    return true
  }
  return read.list('TRUST_PROXY', 'an address', isAddressRange)
}

/** Accepts an address, a CIDR range or the name of a range. */
function isAddressRange(entry: string): boolean {
  if (RANGE_NAMES.includes(entry) || isIP(entry) !== 0) return true
  const isRange = ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry)
  // A range of all addresses must be written as `true`, which production rejects.
  return isRange && !/\/0+$/.test(entry)
}

function readS3(read: EnvironmentReader) {
  const required = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const
  const given = required.filter(read.isSet)
  if (given.length === 0) return undefined
  const [endpoint = '', bucket = '', accessKey = '', secretKey = ''] = required.map(read.text)
  read.url('S3_ENDPOINT', ['http:', 'https:'])
  read.check('S3_ENDPOINT', /^https?:\/\/[^/?#@]+\/?$/i, 'must be scheme://host[:port] without a path')
  for (const variable of required) {
    if (!read.isSet(variable)) read.reject(variable, `must be set together with ${given.join(', ')}`)
  }
  read.check('S3_BUCKET', S3_BUCKET_NAME, 'must be 3 to 63 lower-case letters, digits, dots and hyphens')
  return { endpoint, region: read.text('S3_REGION'), bucket, accessKey, secretKey }
}
