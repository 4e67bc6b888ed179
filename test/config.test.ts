import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { ConfigError } from '../src/errors.ts'
import { envExample } from '../src/variables.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://shop:pw@db/shop',
  JWT_SECRET: 'ab'.repeat(64),
  SUPPLIER_BASE_URL: 'https://supplier.example/api',
  SITE_URL: 'https://shop.example',
}

/** The message of the ConfigError; fails if there is none. */
function rejection(environment: Record<string, string | undefined>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('The configuration was accepted')
}

test('an empty environment gives the documented defaults', () => {
  expect(readConfig({})).toEqual({
    production: false,
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: undefined,
    dataDir: resolve('.data'),
    jwtSecret: undefined,
    jwtExpirationMs: 86_400_000,
    admin: undefined,
    cacheMaxAgeSeconds: 0,
    corsAllowedOrigins: [],
    trustProxy: false,
    supplier: {
      baseUrl: undefined,
      token: '',
      username: '',
      password: '',
      authType: 'TOKEN',
      requestDelayMs: 0,
      timeZone: 'UTC',
    },
    demo: { catalogue: undefined, changesPerMinute: 5 },
    syncCron: '0 */5 * * * *',
    visibilityCron: '0 */5 * * * *',
    scraping: {
      enabled: true,
      delayMs: 0,
      userAgent: expect.stringMatching(/\w/),
      jobDelayMs: 60_000,
      batchSize: 10,
      allowedHosts: [],
    },
    xmlFeedUrl: undefined,
    s3: undefined,
    mail: { smtpUrl: undefined, from: 'Shop <no-reply@shop.local>' },
    siteUrl: 'http://127.0.0.1:3000',
    shopTimeZone: 'UTC',
    rateLimits: { loginPair: 10, loginAddress: 50, loginEmail: 100, register: 20, orders: 120, cost: 64 },
    webhookAllowedHosts: [],
    jobsEnabled: true,
    logRequests: 'debug',
    logLevel: 'info',
  })
})

test('blank variables count as unset', () => {
  const names = [
    'PORT',
    'DATABASE_URL',
    'JWT_SECRET',
    'TRUST_PROXY',
    'SYNC_CRON',
    'SHOP_TIME_ZONE',
    'S3_ENDPOINT',
  ]
  expect(readConfig(Object.fromEntries(names.map((name) => [name, '  '])))).toEqual(readConfig({}))
})

test('reads every variable', () => {
  const config = readConfig({
    HOST: '::1',
    PORT: '0',
    DATABASE_URL: 'postgresql://u:p@h:1/d',
    DATA_DIR: '/tmp/elsewhere',
    JWT_SECRET: 'AB'.repeat(32),
    JWT_EXPIRATION_MS: '60000',
    ADMIN_EMAIL: 'boss@shop.example',
    ADMIN_PASSWORD: 'long enough',
    CORS_ALLOWED_ORIGINS: 'https://a.example, http://b.example:8080',
    TRUST_PROXY: '10.0.0.0/8,loopback',
    SUPPLIER_BASE_URL: 'http://supplier.example/api//',
    SUPPLIER_TOKEN: 't',
    SUPPLIER_USERNAME: 'n',
    SUPPLIER_PASSWORD: 'p',
    SUPPLIER_AUTH_TYPE: 'BASIC',
    SUPPLIER_TIME_ZONE: 'Europe/Moscow',
    SYNC_CRON: '*/10 * * * * *',
    VISIBILITY_CRON: '0 0 * * * *',
    GBSTORE_SCRAPING_ENABLED: 'false',
    GBSTORE_SCRAPING_DELAY_MS: '1',
    GBSTORE_SCRAPING_USER_AGENT: 'Bot/2',
    GBSTORE_SCRAPING_JOB_DELAY_MS: '2',
    GBSTORE_SCRAPING_BATCH_SIZE: '3',
    GBSTORE_SCRAPING_ALLOWED_HOSTS: 'localhost:1, 10.0.0.1',
    XML_FEED_URL: 'https://supplier.example/feed.xml',
    S3_ENDPOINT: 'http://s3.example:3900',
    S3_REGION: 'garage',
    S3_BUCKET: 'bucket',
    S3_ACCESS_KEY: 'a',
    S3_SECRET_KEY: 's',
    SMTP_URL: 'smtps://u:p@mail.example',
    MAIL_FROM: 'x@y.example',
    SITE_URL: 'https://shop.example/',
    SHOP_TIME_ZONE: 'Asia/Almaty',
    RATE_LIMIT_LOGIN_PAIR: '1',
    RATE_LIMIT_LOGIN_ADDRESS: '2',
    RATE_LIMIT_LOGIN_EMAIL: '3',
    RATE_LIMIT_REGISTER: '4',
    RATE_LIMIT_ORDERS: '0',
    RATE_LIMIT_COST: '5',
    JOBS_ENABLED: 'false',
    WEBHOOK_ALLOWED_HOSTS: 'hooks.internal, 10.0.0.2:8080',
    METRICS_TOKEN: 'm'.repeat(32),
    LOG_REQUESTS: 'off',
    LOG_LEVEL: 'debug',
  })
  expect(config).toMatchObject({
    host: '::1',
    port: 0,
    databaseUrl: 'postgresql://u:p@h:1/d',
    dataDir: '/tmp/elsewhere',
    jwtSecret: 'AB'.repeat(32),
    jwtExpirationMs: 60_000,
    admin: { email: 'boss@shop.example', password: 'long enough' },
    corsAllowedOrigins: ['https://a.example', 'http://b.example:8080'],
    trustProxy: ['10.0.0.0/8', 'loopback'],
    supplier: {
      baseUrl: 'http://supplier.example/api',
      token: 't',
      username: 'n',
      password: 'p',
      authType: 'BASIC',
      requestDelayMs: 2000,
      timeZone: 'Europe/Moscow',
    },
    syncCron: '*/10 * * * * *',
    visibilityCron: '0 0 * * * *',
    scraping: {
      enabled: false,
      delayMs: 1,
      userAgent: 'Bot/2',
      jobDelayMs: 2,
      batchSize: 3,
      allowedHosts: ['localhost:1', '10.0.0.1'],
    },
    xmlFeedUrl: 'https://supplier.example/feed.xml',
    s3: {
      endpoint: 'http://s3.example:3900',
      region: 'garage',
      bucket: 'bucket',
      accessKey: 'a',
      secretKey: 's',
    },
    mail: { smtpUrl: 'smtps://u:p@mail.example', from: 'x@y.example' },
    siteUrl: 'https://shop.example',
    shopTimeZone: 'Asia/Almaty',
    rateLimits: { loginPair: 1, loginAddress: 2, loginEmail: 3, register: 4, orders: 0, cost: 5 },
    webhookAllowedHosts: ['hooks.internal', '10.0.0.2:8080'],
    jobsEnabled: false,
    metricsToken: 'm'.repeat(32),
    logRequests: 'off',
    logLevel: 'debug',
  })
})

test('maps localhost to one address', () => {
  for (const HOST of ['localhost', 'LOCALHOST']) expect(readConfig({ HOST }).host).toBe('127.0.0.1')
})

test('brackets an IPv6 address in the default site URL', () => {
  expect(readConfig({ HOST: '::1', PORT: '80' }).siteUrl).toBe('http://[::1]:80')
})

test.each([
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['PORT', '3000.5'],
  ['PORT', '0x10'],
  ['DATABASE_URL', 'mysql://h/d'],
  ['DATABASE_URL', 'shop'],
  ['JWT_SECRET', 'ab'.repeat(31)],
  ['JWT_SECRET', `${'ab'.repeat(32)}g`],
  ['JWT_EXPIRATION_MS', '999'],
  ['JWT_EXPIRATION_MS', '1 day'],
  ['ADMIN_EMAIL', 'boss'],
  ['CORS_ALLOWED_ORIGINS', '*'],
  ['CORS_ALLOWED_ORIGINS', 'https://a.example/'],
  ['CORS_ALLOWED_ORIGINS', 'https://a.example, b.example'],
  ['TRUST_PROXY', '1'],
  ['TRUST_PROXY', 'proxy.example'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '10.0.0.0/0'],
  ['TRUST_PROXY', '::/0'],
  ['TRUST_PROXY', '10/8'],
  ['TRUST_PROXY', '010.0.0.0/8'],
  ['TRUST_PROXY', '0x7f.1'],
  ['TRUST_PROXY', '10.0.0.1, 1'],
  ['SUPPLIER_BASE_URL', 'ftp://supplier.example'],
  ['SUPPLIER_AUTH_TYPE', 'basic'],
  ['SUPPLIER_REQUEST_DELAY_MS', '-5'],
  ['SUPPLIER_TIME_ZONE', 'Moscow'],
  ['DEMO_CHANGES_PER_MINUTE', 'many'],
  ['SYNC_CRON', 'every minute'],
  ['SYNC_CRON', '99 * * * * *'],
  ['VISIBILITY_CRON', '* * *'],
  ['GBSTORE_SCRAPING_ENABLED', 'yes'],
  ['GBSTORE_SCRAPING_DELAY_MS', 'x'],
  ['GBSTORE_SCRAPING_JOB_DELAY_MS', '1e3'],
  ['GBSTORE_SCRAPING_BATCH_SIZE', '0'],
  ['XML_FEED_URL', 'file:///etc/passwd'],
  ['S3_ENDPOINT', 's3.example'],
  ['SMTP_URL', 'mail.example:25'],
  ['MAIL_FROM', 'shop'],
  ['MAIL_FROM', 'a@x.example, b@x.example'],
  ['MAIL_FROM', 'Shop <a@x.example>, <b@x.example>'],
  ['SITE_URL', 'shop.example'],
  ['SHOP_TIME_ZONE', 'Nowhere/City'],
  ['RATE_LIMIT_LOGIN_PAIR', '-1'],
  ['RATE_LIMIT_LOGIN_ADDRESS', 'off'],
  ['RATE_LIMIT_LOGIN_EMAIL', '1.5'],
  ['RATE_LIMIT_REGISTER', '∞'],
  ['RATE_LIMIT_ORDERS', '1000001'],
  ['JOBS_ENABLED', '0'],
  ['METRICS_TOKEN', 'm'.repeat(31)],
  ['METRICS_TOKEN', `${'m'.repeat(32)} m`],
  ['LOG_REQUESTS', 'silent'],
  ['LOG_LEVEL', 'verbose'],
])('rejects %s=%s by name', (variable, value) => {
  const password = variable === 'ADMIN_EMAIL' ? { ADMIN_PASSWORD: 'long enough' } : {}
  expect(rejection({ [variable]: value, ...password })).toMatch(new RegExp(`^${variable} `))
})

test('production needs four variables', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({ production: true, jwtSecret: PRODUCTION.JWT_SECRET })
})

test.each(['DATABASE_URL', 'JWT_SECRET', 'SUPPLIER_BASE_URL', 'SITE_URL'])(
  'production needs %s',
  (variable) => {
    expect(rejection({ ...PRODUCTION, [variable]: undefined })).toBe(`${variable} must be set in production`)
    expect(rejection({ ...PRODUCTION, [variable]: '' })).toBe(`${variable} must be set in production`)
  },
)

test.each([
  [{ ADMIN_EMAIL: 'boss@shop.example' }, 'ADMIN_PASSWORD'],
  [{ ADMIN_PASSWORD: 'long enough' }, 'ADMIN_EMAIL'],
  [{ ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: 'short' }, 'ADMIN_PASSWORD'],
  [{ ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: 'пароль'.repeat(7) }, 'ADMIN_PASSWORD'],
])('rejects an incomplete or invalid first administrator: %o', (environment, variable) => {
  expect(rejection(environment)).toMatch(new RegExp(`^${variable} `))
})

test.each([
  ['true', true],
  ['false', false],
  ['127.0.0.1', ['127.0.0.1']],
  ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
  ['::1,192.0.2.7/32', ['::1', '192.0.2.7/32']],
  ['loopback,uniquelocal', ['loopback', 'uniquelocal']],
])('accepts TRUST_PROXY=%s', (value, expected) => {
  expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected)
})

test.each([
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY must list'],
  [{ JWT_SECRET: 'a'.repeat(64) }, 'JWT_SECRET must be random'],
  [
    { ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: 'eleven char' },
    'ADMIN_PASSWORD must have at least 12',
  ],
])('only production rejects %o', (environment, message) => {
  expect(rejection({ ...PRODUCTION, ...environment })).toContain(message)
  expect(readConfig(environment).production).toBe(false)
})

test('reports all invalid variables at once', () => {
  const wrong = {
    PORT: 'eighty',
    JWT_SECRET: 's3cr3t',
    TRUST_PROXY: '1',
    SYNC_CRON: 'hourly',
    S3_ENDPOINT: 'http://s3.example',
    ADMIN_PASSWORD: 's3cr3t',
  }
  const lines = rejection({ NODE_ENV: 'production', ...wrong }).split('\n')
  const names = lines.map((line) => line.split(' ')[0])
  expect(names.toSorted()).toEqual([
    'ADMIN_EMAIL',
    'ADMIN_PASSWORD',
    'DATABASE_URL',
    'JWT_SECRET',
    'PORT',
    'S3_ACCESS_KEY',
    'S3_BUCKET',
    'S3_SECRET_KEY',
    'SITE_URL',
    'SUPPLIER_BASE_URL',
    'SYNC_CRON',
    'TRUST_PROXY',
  ])
  expect(lines.join()).not.toContain('s3cr3t')
})

test.each(['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'])(
  'object storage needs %s',
  (variable) => {
    const complete = {
      S3_ENDPOINT: 'http://s3.example',
      S3_BUCKET: 'shop',
      S3_ACCESS_KEY: 'a',
      S3_SECRET_KEY: 's',
    }
    expect(rejection({ ...complete, [variable]: undefined })).toMatch(new RegExp(`^${variable} must be set`))
    expect(readConfig(complete).s3).toMatchObject({ region: 'us-east-1' })
  },
)

test.each([
  { S3_ENDPOINT: 'http://s3.example/path' },
  { S3_ENDPOINT: 'https://user:pw@s3.example' },
  { S3_ENDPOINT: 's3.example' },
  { S3_BUCKET: 'No' },
  { S3_BUCKET: 'a/b' },
])('rejects an object storage with %o', (wrong) => {
  const rest = { S3_ENDPOINT: 'http://s3.example', S3_BUCKET: 'shop', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' }
  expect(rejection({ ...rest, ...wrong })).toMatch(new RegExp(`^${Object.keys(wrong)[0]} `))
})

test.each([
  { DATABASE_URL: 'mysql://shop:s3cr3t@db/shop' },
  { JWT_SECRET: 's3cr3t' },
  { ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: 's3cr3t' },
  { ADMIN_PASSWORD: 's3cr3t-s3cr3t' },
  { SMTP_URL: 'http://u:s3cr3t@mail.example' },
  { SUPPLIER_BASE_URL: 'ftp://u:s3cr3t@supplier.example' },
  { S3_ENDPOINT: 'ftp://u:s3cr3t@s3.example' },
  { S3_ENDPOINT: 'http://s3.example', S3_SECRET_KEY: 's3cr3t' },
  { XML_FEED_URL: 'ftp://u:s3cr3t@supplier.example/feed' },
])('repeats no secret of %o', (environment) => {
  expect(rejection(environment)).not.toContain('s3cr3t')
})

const readRootFile = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8')

test('.env.example is what npm run env:example writes', () => {
  expect(readRootFile('.env.example')).toBe(envExample())
})
