import { CronPattern } from 'croner'
import { messageOf } from './errors.ts'
import { typingErrors } from './rules/catalogue/letters.ts'

/** Without a default, the description says what an unset variable means. */
type Variable = { description: string; default?: string }

/** Every environment variable that the service reads (docs/operations.md). */
export const VARIABLES = {
  NODE_ENV: { description: 'development, test or production, which refuses unsafe defaults', default: 'development' },
  HOST: { description: 'Address to listen on', default: '127.0.0.1' },
  PORT: { description: 'Port to listen on; 0: any free port', default: '3000' },
  DATA_DIR: { description: 'Embedded database, local files and generated secrets', default: '.data' },
  DATABASE_URL: { description: 'PostgreSQL 15 or later with a UTF-8 locale; unset: an embedded server in DATA_DIR' },
  JWT_SECRET: { description: 'At least 64 hexadecimal characters; unset: generated once into DATA_DIR' },
  JWT_EXPIRATION_MS: { description: 'Lifetime of a token in milliseconds', default: '86400000' },
  ADMIN_EMAIL: { description: 'First SUPER_ADMIN, created if there is none; unset: admin@shop.local' },
  ADMIN_PASSWORD: { description: 'At least 8 characters, in production 12; unset: generated once into DATA_DIR' },
  CORS_ALLOWED_ORIGINS: { description: 'Comma-separated origins; unset: none' },
  TRUST_PROXY: {
    description:
      'Proxies whose X-Forwarded-For counts: addresses, CIDR ranges or names such as loopback, comma-separated; unset: none; true (not in production): all',
  },
  SUPPLIER_BASE_URL: { description: "The supplier's API; unset: the demo supplier inside the process" },
  SUPPLIER_AUTH_TYPE: { description: 'TOKEN, or BASIC to send user name and password, too', default: 'TOKEN' },
  SUPPLIER_TOKEN: { description: 'Sent in the header Token', default: '' },
  SUPPLIER_USERNAME: { description: 'For BASIC', default: '' },
  SUPPLIER_PASSWORD: { description: 'For BASIC', default: '' },
  SUPPLIER_REQUEST_DELAY_MS: {
    description: 'Milliseconds between the starts of two requests; 0 with the demo supplier',
    default: '2000',
  },
  SUPPLIER_TIME_ZONE: { description: "Time zone of the supplier's dates", default: 'UTC' },
  SYNC_CRON: { description: "Schedule of the supplier's sync, in UTC, with seconds", default: '0 */5 * * * *' },
  VISIBILITY_CRON: { description: 'Schedule that hides empty categories, as SYNC_CRON', default: '0 */5 * * * *' },
  XML_FEED_URL: { description: "The supplier's XML feed; unset: none, or that of the demo supplier" },
  GBSTORE_SCRAPING_ENABLED: { description: 'Whether images are scraped', default: 'true' },
  GBSTORE_SCRAPING_DELAY_MS: {
    description: 'Milliseconds between two requests to a host; 0 with the demo supplier',
    default: '1000',
  },
  GBSTORE_SCRAPING_USER_AGENT: { description: 'User-Agent of the scraper', default: 'ShopImageFetcher/1.0' },
  GBSTORE_SCRAPING_JOB_DELAY_MS: {
    description: 'Milliseconds between the end of a run and the next one; less than 100 counts as 100',
    default: '60000',
  },
  GBSTORE_SCRAPING_BATCH_SIZE: { description: 'Products scraped at a time; more than 4 counts as 4', default: '10' },
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
  SITE_URL: { description: 'Public address of the storefront; unset: http://HOST:PORT' },
  SHOP_TIME_ZONE: { description: "Time zone of the shop's calendar", default: 'UTC' },
  RATE_LIMIT_LOGIN_PAIR: { description: 'Failed logins per address and email in 15 min; 0: off', default: '10' },
  RATE_LIMIT_LOGIN_ADDRESS: { description: 'Failed logins per address in 15 min; 0: off', default: '50' },
  RATE_LIMIT_LOGIN_EMAIL: { description: 'Failed logins per email in 15 min; 0: off', default: '100' },
  RATE_LIMIT_REGISTER: { description: 'Registrations per address and hour; 0: off', default: '20' },
  RATE_LIMIT_ORDERS: { description: 'Orders per address and minute; 0: off', default: '120' },
  RATE_LIMIT_PER_SECOND: {
    description: "Requests per client network and second; staff's tokens and API keys are exempt; 0: off",
    default: '200',
  },
  RATE_LIMIT_COSTLY_PER_SECOND: {
    description: 'The same of each kind of costly request, such as searches that have to be corrected; 0: off',
    default: '20',
  },
  WS_MAX_PER_ADDRESS: { description: 'Connections of live events per client network', default: '50' },
  JOBS_ENABLED: { description: 'false: this instance only serves requests', default: 'true' },
  CONSOLE_ENABLED: { description: 'Whether the console for staff is served at /console/', default: 'true' },
  STOREFRONT_ENABLED: {
    description: 'Whether the storefront for customers is served at /; unset: true with the demo supplier, else false',
  },
  CACHE_MAX_AGE_SECONDS: {
    description: 'Seconds for which clients may use public catalogue answers without asking again',
    default: '0',
  },
  WEBHOOK_ALLOWED_HOSTS: {
    description: 'Comma-separated host[:port] that webhooks may reach although private; unset: none',
  },
  METRICS_TOKEN: { description: 'Bearer token for /metrics, at least 32 characters; unset: only for an ADMIN' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description: 'Collector that gets traces by OTLP over HTTP, such as http://127.0.0.1:4318; unset: no traces',
  },
  OTEL_TRACES_SAMPLER_ARG: { description: 'Share of the traces that are exported, from 0 to 1', default: '1' },
  LOG_REQUESTS: {
    description: 'Level of the line that is logged for each request: fatal to trace, or off; hidden if below LOG_LEVEL',
    default: 'debug',
  },
  LOG_LEVEL: { description: 'fatal, error, warn, info, debug, trace or silent', default: 'info' },
  DEMO_CATALOGUE: { description: 'Folder of gzipped NDJSON for the demo supplier; unset: generated' },
  DEMO_CHANGES_PER_MINUTE: { description: 'Changes that the demo supplier makes', default: '5' },
} as const satisfies Record<string, Variable>

type VariableName = keyof typeof VARIABLES
export type VariableWithDefault = {
  [Name in VariableName]: (typeof VARIABLES)[Name] extends { default: string } ? Name : never
}[VariableName]

export const REQUIRED_IN_PRODUCTION = ['DATABASE_URL', 'JWT_SECRET', 'SUPPLIER_BASE_URL', 'SITE_URL'] as const

export type Environment = Record<string, string | undefined>
export type EnvironmentReader = ReturnType<typeof environmentReader>

/**
 * Typed reads of environment variables. Blank values count as unset, and unset ones have their default. Problems are
 * collected, one per variable, so that a failed start reports all of them; a value with a problem is meaningless.
 */
export function environmentReader(environment: Environment) {
  const problems: { [variable: string]: string } = {}

  function reject(variable: VariableName, problem: string): void {
    problems[variable] ??= problem
  }
  function isSet(variable: VariableName): boolean {
    return Boolean(environment[variable]?.trim())
  }
  function text(variable: VariableWithDefault): string
  function text(variable: VariableName): string | undefined
  function text(variable: VariableName): string | undefined {
    const { default: fallback }: Variable = VARIABLES[variable]
    return environment[variable]?.trim() || fallback
  }

  return {
    problems,
    reject,
    isSet,
    text,
    /** Rejects a value that is set and doesn't match. */
    check(variable: VariableName, pattern: RegExp, problem: string): void {
      const value = text(variable)
      if (value !== undefined && !pattern.test(value)) reject(variable, problem)
    },
    /** Comma-separated. @param what how the message describes a valid part */
    list(variable: VariableName, what: string, isValid: (part: string) => boolean): string[] {
      const parts = (text(variable) ?? '').split(',').map((part) => part.trim())
      const wrong = parts.find((part) => part !== '' && !isValid(part))
      if (wrong !== undefined) reject(variable, `contains ${wrong}, which is not ${what}`)
      return parts.filter(Boolean)
    },
    hosts(variable: VariableName): string[] {
      return this.list(variable, 'host or host:port', (host) => !/[/@\s]/.test(host))
    },
    integer(variable: VariableWithDefault, min: number, max: number): number {
      const value = text(variable)
      const isInRange = /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
      if (!isInRange) reject(variable, `must be a whole number from ${min} to ${max}, not "${value}"`)
      return Number(value)
    },
    boolean(variable: VariableWithDefault): boolean {
      return this.flag(variable, false)
    },
    /** @param unset what an unset variable without a default means */
    flag(variable: VariableName, unset: boolean): boolean {
      const value = text(variable) ?? String(unset)
      if (!/^(true|false)$/.test(value)) reject(variable, `must be one of true, false, not "${value}"`)
      return value === 'true'
    },
    oneOf<const T extends string>(variable: VariableWithDefault, allowed: readonly [T, ...T[]]): T {
      const value = text(variable)
      const found = allowed.find((word) => word === value)
      if (found === undefined) reject(variable, `must be one of ${allowed.join(', ')}, not "${value}"`)
      return found ?? allowed[0]
    },
    /** The message doesn't repeat the value, which may contain a password. */
    url(variable: VariableName, protocols: string[]): string | undefined {
      const value = text(variable)
      const isUrl = value && URL.canParse(value) && protocols.includes(new URL(value).protocol)
      if (value && !isUrl) reject(variable, `must be a URL that starts with ${protocols.join('// or ')}//`)
      return value
    },
    /** An http(s) URL that paths are appended to, as it is sent and published: encoded, without slashes at its end. */
    baseUrl(variable: VariableName): string | undefined {
      const value = this.url(variable, ['http:', 'https:'])
      if (value !== undefined && /[?#]/.test(value)) reject(variable, 'must have no query and no fragment')
      return value && (URL.parse(value)?.href ?? value).replace(/(?<!\/)\/+$/, '')
    },
    timeZone(variable: VariableWithDefault): string {
      const value = text(variable)
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
      } catch {
        reject(variable, `must be an IANA time zone such as Europe/Moscow, not "${value}"`)
      }
      return value
    },
    cron(variable: VariableWithDefault): string {
      const value = text(variable)
      try {
        new CronPattern(value)
      } catch (error) {
        reject(variable, `must be a cron pattern: ${messageOf(error)}`)
      }
      return value
    },
  }
}

/** Shorter names resemble too many others. */
const MIN_RESEMBLING_LENGTH = 7
const MAX_TYPING_ERRORS = 2

/** Finds misspelt variables: a shop that ignored them would start with something else than was meant. @returns sentences */
export function findMisspelt(environment: Environment): string[] {
  const names = Object.keys(VARIABLES).filter(({ length }) => length >= MIN_RESEMBLING_LENGTH)
  return Object.keys(environment).flatMap((name) => {
    if (name in VARIABLES) return []
    const alike = names.filter(({ length }) => Math.abs(length - name.length) <= MAX_TYPING_ERRORS)
    const meant = alike.find((own) => typingErrors(own, name.toUpperCase()) <= MAX_TYPING_ERRORS)
    return meant ? `${name} is no variable of the shop: did you mean ${meant}?` : []
  })
}

/** The text of `.env.example`; `npm run env:example` writes it. */
export function envExample(): string {
  const entries = Object.entries<Variable>(VARIABLES).map(
    ([name, { description, default: value = '' }]) => `# ${description}\n#${name}=${value}\n`,
  )
  return `# Environment variables with their defaults. Copied to .env, they are read at the start;
# those of the process come first.
# NODE_ENV=production requires ${REQUIRED_IN_PRODUCTION.join(', ')}.

${entries.join('\n')}`
}

if (import.meta.main) process.stdout.write(envExample())
