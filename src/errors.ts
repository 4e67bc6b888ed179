/** Values of `code` in an error's body (contract section 1, "Errors"). */
export const ERROR_CODES = [
  'VALIDATION_FAILED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'METHOD_NOT_ALLOWED',
  'URI_TOO_LONG',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
  'UPGRADE_REQUIRED',
  'TOO_MANY_TOPICS',
  'INTERNAL',
  'UNAVAILABLE',
  'EMAIL_TAKEN',
  'RESET_TOKEN_INVALID',
  'OWN_ACCOUNT',
  'KEY_TAKEN',
  'SYNC_RUNNING',
  'MAIL_SENT',
  'JOB_RUNNING',
  'PIPELINE_RUNNING',
  'RUN_NOT_RETRYABLE',
  'FEED_NOT_CONFIGURED',
  'CATEGORY_MAPPED',
  'ALIAS_TAKEN',
  'PRODUCT_OVERRIDDEN',
  'PRODUCT_UNAVAILABLE',
  'IDEMPOTENCY_KEY_REUSED',
  'ORDER_NOT_CANCELLABLE',
  'TOO_MANY_ITEMS',
  'LAST_ITEM',
  'ORDER_NOT_EDITABLE',
  'ORDER_NOT_SUBMITTABLE',
  'ORDER_SUBMITTING',
  'SUBMIT_UNCLEAR',
  'NOT_A_SUPPLIER_PRODUCT',
  'PERIOD_OVERLAP',
  'STALE',
  'SLUG_TAKEN',
  'SCRAPE_ACTIVE',
  'NOT_DOWNLOADED',
  'EXTERNAL_ID_TAKEN',
  'TOO_MANY_PRODUCTS',
  'IMAGE_IN_USE',
  'RANGE_NOT_SATISFIABLE',
  'CATEGORY_CYCLE',
  'CHILDREN_DIFFER',
  'TOO_MANY_FILTERS',
  'TOO_MANY_WEBHOOKS',
] as const

/** UNAUTHORIZED is internal: the body of a 401 has no code. */
export type ErrorCode = (typeof ERROR_CODES)[number] | 'UNAUTHORIZED'

/** Faults reported in one response. */
export const MAX_DETAILS = 50

export type ErrorDetail = {
  path: string
  message: string
  /** With PRODUCT_UNAVAILABLE: why, and how many are left. */
  reason?: string
  availableQuantity?: number
}

type Extras = {
  details?: ErrorDetail[]
  /** `Retry-After`, in seconds. */
  retryAfter?: number
  /** Further members of the body, such as the id of the running sync. */
  body?: Record<string, unknown>
  headers?: Record<string, string>
  /** Logged, never sent. */
  cause?: unknown
}

/** An error that the caller should see (contract section 1, "Errors"). Any other error becomes a 500 without details. */
export class AppError extends Error {
  override name = 'AppError'
  readonly status: number
  readonly code: ErrorCode
  readonly extras: Extras

  constructor(status: number, code: ErrorCode, message: string, extras: Extras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.status = status
    this.code = code
    this.extras = extras
  }
}

/** Why the shop can't start and how the operator can fix that. */
export class StartError extends Error {
  override name = 'StartError'
}

/** Invalid environment variables, one line each. Messages contain no secrets. */
export class ConfigError extends StartError {
  override name = 'ConfigError'

  constructor(...problems: { variable: string; problem: string }[]) {
    super(problems.map(({ variable, problem }) => `${variable} ${problem}`).join('\n'))
  }
}

/** The supplier didn't respond, refused, or sent an invalid response. The message contains no secrets. */
export class SupplierError extends Error {
  override name = 'SupplierError'
}

/** The XML feed can't be downloaded or isn't one. The message contains no secrets. */
export class FeedError extends Error {
  override name = 'FeedError'
}

/** 401: no valid token, or wrong credentials. */
export function unauthorized(): AppError {
  return new AppError(401, 'UNAUTHORIZED', 'A valid token is required')
}

/** 403: the role is too low. */
export function forbidden(message = 'Your role does not allow this'): AppError {
  return new AppError(403, 'FORBIDDEN', message)
}

/** 404: no such record, or not visible to the caller. */
export function notFound(what: string): AppError {
  return new AppError(404, 'NOT_FOUND', `No such ${what}`)
}

/** Returns a record that exists. @throws AppError 404 */
export function found<T>(record: T | null | undefined, what: string): T {
  if (record === null || record === undefined) throw notFound(what)
  return record
}

/** 400 with the invalid fields, each with its first fault. */
export function invalid(...details: ErrorDetail[]): AppError {
  const seen = new Set<string>()
  const first = details.filter(({ path }) => !seen.has(path) && seen.add(path))
  const extras = { details: first.slice(0, MAX_DETAILS) }
  return new AppError(400, 'VALIDATION_FAILED', 'The request is not valid', extras)
}

/**
 * Runs all checks and returns their results.
 * @throws AppError 400 with the details of every check that threw one
 */
export function checkAll<T extends Record<string, unknown>>(checks: { [K in keyof T]: () => T[K] }): T {
  const details: ErrorDetail[] = []
  const entries = Object.entries(checks).map(([name, check]) => {
    try {
      return [name, check()]
    } catch (error) {
      if (!(error instanceof AppError) || !error.extras.details) throw error
      details.push(...error.extras.details)
      return [name, undefined]
    }
  })
  if (details.length > 0) throw invalid(...details)
  return Object.fromEntries(entries)
}

/** 409: the request conflicts with the current state. */
export function conflict(code: ErrorCode, message: string, extras: Extras = {}): AppError {
  return new AppError(409, code, message, extras)
}

/** 412: the record has changed since the caller read it. @param current the record now */
export function stale(current: object): AppError {
  return new AppError(412, 'STALE', 'The record has changed since it was read', { body: { current } })
}

/** 429: a limit is reached. @param msLeft milliseconds until the next attempt is allowed */
export function rateLimited(msLeft: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1000))
  return new AppError(429, 'RATE_LIMITED', 'Too many attempts; please retry later', { retryAfter })
}

export function isRateLimited(error: unknown): boolean {
  return error instanceof AppError && error.code === 'RATE_LIMITED'
}

/** A page or image of a storefront can't be downloaded. The message may be stored and shown to staff. */
export class StorefrontError extends Error {
  override name = 'StorefrontError'
  readonly about: StorefrontFailure

  constructor(message: string, about: StorefrontFailure) {
    super(message)
    this.about = about
  }
}

type StorefrontFailure = {
  /** Another attempt would fail too. */
  permanent: boolean
  /** Status of the response. */
  status?: number
  /** From `Retry-After`, in milliseconds. */
  retryAfterMs?: number
}
