import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { envExample, findMisspelt } from '../src/environment.ts'

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
    consoleEnabled: true,
    storefrontEnabled: true,
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
    misspelt: [],
    xmlFeedUrl: undefined,
    s3: undefined,
    mail: { smtpUrl: undefined, from: 'Shop <no-reply@shop.local>' },
    siteUrl: 'http://127.0.0.1:3000',
    shopTimeZone: 'UTC',
    rateLimits: {
      loginPair: 10,
      loginAddress: 50,
      loginEmail: 100,
      register: 20,
      orders: 120,
      perSecond: 200,
      costlyPerSecond: 20,
    },
    webhookAllowedHosts: [],
    wsMaxPerAddress: 50,
    traces: { endpoint: undefined, ratio: 1 },
    jobsEnabled: true,
    logRequests: 'debug',
    logLevel: 'info',
  })
})

test('names variables that look misspelt', () => {
  const environment = {
    DATABSE_URL: 'x',
    S3_BUCKT: 'x',
    supplier_token: 'x',
    JWT_SECRETS: 'x',
    PORT: '1',
    HOME: '/',
    PGHOST: 'x',
  }
  expect(findMisspelt(environment).map((message) => message.replace(/ is no .* mean/, ''))).toEqual([
    'DATABSE_URL DATABASE_URL?',
    'S3_BUCKT S3_BUCKET?',
    'supplier_token SUPPLIER_TOKEN?',
    'JWT_SECRETS JWT_SECRET?',
  ])
  expect(readConfig(environment).misspelt).toHaveLength(4)
})

test('blank variables count as unset', () => {
  const names = ['PORT', 'DATABASE_URL', 'JWT_SECRET', 'TRUST_PROXY', 'SYNC_CRON', 'SHOP_TIME_ZONE', 'S3_ENDPOINT']
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
    RATE_LIMIT_PER_SECOND: '5',
    RATE_LIMIT_COSTLY_PER_SECOND: '6',
    WS_MAX_PER_ADDRESS: '7',
    CONSOLE_ENABLED: 'false',
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
    rateLimits: {
      loginPair: 1,
      loginAddress: 2,
      loginEmail: 3,
      register: 4,
      orders: 0,
      perSecond: 5,
      costlyPerSecond: 6,
    },
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

test.each([
  ['https://магазин.рф/', 'https://xn--80aairftm.xn--p1ai'],
  ['HTTPS://Shop.Example:443/Каталог//', 'https://shop.example/%D0%9A%D0%B0%D1%82%D0%B0%D0%BB%D0%BE%D0%B3'],
  ['https://shop.example/a b', 'https://shop.example/a%20b'],
])('encodes the site URL %s', (url, encoded) => {
  expect(readConfig({ SITE_URL: url }).siteUrl).toBe(encoded)
})

test('brackets an IPv6 address in the default site URL', () => {
  expect(readConfig({ HOST: '::1', PORT: '80' }).siteUrl).toBe('http://[::1]:80')
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

const readRootFile = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8')

test('.env.example is what npm run env:example writes', () => {
  expect(readRootFile('.env.example')).toBe(envExample())
})
