import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { StartError } from '../src/errors.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://shop:pw@db/shop',
  JWT_SECRET: 'ab'.repeat(64),
  SUPPLIER_BASE_URL: 'https://supplier.example/api',
  SITE_URL: 'https://shop.example',
}

/** The message of the StartError; fails if there is none. */
function rejection(environment: Record<string, string | undefined>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
  throw new Error('The configuration was accepted')
}

test.each([
  ['NODE_ENV', 'prod'],
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
  ['SUPPLIER_BASE_URL', 'http://supplier.example/api?shop=1'],
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
  ['GBSTORE_SCRAPING_ALLOWED_HOSTS', 'shop.intern, http://10.0.0.1'],
  ['XML_FEED_URL', 'file:///etc/passwd'],
  ['S3_ENDPOINT', 's3.example'],
  ['SMTP_URL', 'mail.example:25'],
  ['MAIL_FROM', 'shop'],
  ['MAIL_FROM', 'a@x.example, b@x.example'],
  ['MAIL_FROM', 'Shop <a@x.example>, <b@x.example>'],
  ['SITE_URL', 'shop.example'],
  ['SITE_URL', 'https://shop.example/?from=feed'],
  ['SITE_URL', 'https://shop.example/#/'],
  ['SHOP_TIME_ZONE', 'Nowhere/City'],
  ['RATE_LIMIT_LOGIN_PAIR', '-1'],
  ['RATE_LIMIT_LOGIN_ADDRESS', 'off'],
  ['RATE_LIMIT_LOGIN_EMAIL', '1.5'],
  ['RATE_LIMIT_REGISTER', '∞'],
  ['RATE_LIMIT_ORDERS', '1000001'],
  ['JOBS_ENABLED', '0'],
  ['WEBHOOK_ALLOWED_HOSTS', 'hooks.intern/path'],
  ['METRICS_TOKEN', 'm'.repeat(31)],
  ['METRICS_TOKEN', `${'m'.repeat(32)} m`],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['LOG_REQUESTS', 'silent'],
  ['LOG_LEVEL', 'verbose'],
])('rejects %s=%s by name', (variable, value) => {
  const password = variable === 'ADMIN_EMAIL' ? { ADMIN_PASSWORD: 'long enough' } : {}
  expect(rejection({ [variable]: value, ...password })).toMatch(new RegExp(`^${variable} `))
})

test('basic authentication needs a user', () => {
  expect(rejection({ SUPPLIER_AUTH_TYPE: 'BASIC' })).toBe('SUPPLIER_USERNAME must be set with SUPPLIER_AUTH_TYPE=BASIC')
})

test('production needs four variables', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({ production: true, jwtSecret: PRODUCTION.JWT_SECRET })
})

test.each(['DATABASE_URL', 'JWT_SECRET', 'SUPPLIER_BASE_URL', 'SITE_URL'])('production needs %s', (variable) => {
  expect(rejection({ ...PRODUCTION, [variable]: undefined })).toBe(`${variable} must be set in production`)
  expect(rejection({ ...PRODUCTION, [variable]: '' })).toBe(`${variable} must be set in production`)
})

test.each([
  [{ ADMIN_EMAIL: 'boss@shop.example' }, 'ADMIN_PASSWORD'],
  [{ ADMIN_PASSWORD: 'long enough' }, 'ADMIN_EMAIL'],
  [{ ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: 'short' }, 'ADMIN_PASSWORD'],
  [{ ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: 'пароль'.repeat(7) }, 'ADMIN_PASSWORD'],
])('rejects an incomplete or invalid first administrator: %o', (environment, variable) => {
  expect(rejection(environment)).toMatch(new RegExp(`^${variable} `))
})

test.each([
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY must list'],
  [{ JWT_SECRET: 'a'.repeat(64) }, 'JWT_SECRET must be random'],
  [{ ADMIN_EMAIL: 'boss@shop.example', ADMIN_PASSWORD: 'eleven char' }, 'ADMIN_PASSWORD must have at least 12'],
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

test.each(['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'])('object storage needs %s', (variable) => {
  const complete = {
    S3_ENDPOINT: 'http://s3.example',
    S3_BUCKET: 'shop',
    S3_ACCESS_KEY: 'a',
    S3_SECRET_KEY: 's',
  }
  expect(rejection({ ...complete, [variable]: undefined })).toMatch(new RegExp(`^${variable} must be set`))
  expect(readConfig(complete).s3).toMatchObject({ region: 'us-east-1' })
})

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
