/** The words for programs, what `code` of an error's body can be (contract section 1, "Errors"). */
export const ERROR_CODES = [
  'VALIDATION_FAILED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'URI_TOO_LONG',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
  'EMAIL_TAKEN',
  'OWN_ACCOUNT',
  'KEY_TAKEN',
  'SYNC_RUNNING',
  'PIPELINE_RUNNING',
  'RUN_NOT_RETRYABLE',
  'FEED_NOT_CONFIGURED',
  'CATEGORY_MAPPED',
  'ALIAS_TAKEN',
  'PRODUCT_OVERRIDDEN',
  'PRODUCT_UNAVAILABLE',
  'IDEMPOTENCY_KEY_REUSED',
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
] as const

/** The body of a 401 has no code: UNAUTHORIZED never gets out. */
export type ErrorCode = (typeof ERROR_CODES)[number] | 'UNAUTHORIZED'

/** Nobody reads further, and an answer is no place for a thousand faults. */
export const MAX_DETAILS = 50

export type ErrorDetail = {
  path: string
  message: string
  /** Of a line that can't be had (PRODUCT_UNAVAILABLE): why, as a word for programs, and how many there are. */
  reason?: string
  availableQuantity?: number
}

type Extras = {
  details?: ErrorDetail[]
  /** Seconds, for the Retry-After header. */
  retryAfter?: number
  /** Further members of the body, where the contract asks for them (the id of the run that is in the way). */
  body?: Record<string, unknown>
  headers?: Record<string, string>
  /** What it came of, for the log alone. */
  cause?: unknown
}

/**
 * A refusal that a caller should see (contract section 1, "Errors"). Everything else that is thrown becomes a 500
 * without a word about its cause.
 */
export class AppError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly extras: Extras

  constructor(status: number, code: ErrorCode, message: string, extras: Extras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.extras = extras
  }
}

/** Why the shop can't start, for its operator: what is wrong and what helps. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
  }
}

/** Variables that can't be used; a line names each and says what is wrong, and no line repeats a secret. */
export class ConfigError extends StartError {
  constructor(...problems: { variable: string; problem: string }[]) {
    super(problems.map(({ variable, problem }) => `${variable} ${problem}`).join('\n'))
    this.name = 'ConfigError'
  }
}

/** The supplier could not be reached, refused, or answered something that is no list. Its message holds no secret. */
export class SupplierError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SupplierError'
  }
}

/** The XML feed can't be had, or is none. Its message holds no secret. */
export class FeedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FeedError'
  }
}

/** 401: without a valid token, or with wrong credentials. Its body says nothing more. */
export function unauthorized(): AppError {
  return new AppError(401, 'UNAUTHORIZED', 'A valid token is needed')
}

/** 403: the role is too low. */
export function forbidden(message = 'Your role may not do this'): AppError {
  return new AppError(403, 'FORBIDDEN', message)
}

/** 404: no such record, or none that this caller may see. */
export function notFound(what: string): AppError {
  return new AppError(404, 'NOT_FOUND', `There is no such ${what}`)
}

/** 400 that names the fields. */
export function invalid(...details: ErrorDetail[]): AppError {
  const named = details.slice(0, MAX_DETAILS)
  return new AppError(400, 'VALIDATION_FAILED', 'The request is not valid', { details: named })
}

/**
 * What each of the checks gives; they throw a 400 for what they find wrong.
 * @throws AppError one 400 that names the faults of all of them
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

/** 409: the state of things forbids it. */
export function conflict(code: ErrorCode, message: string, extras: Extras = {}): AppError {
  return new AppError(409, code, message, extras)
}

/** 412: the record is no longer what the caller knows. @param current as it is now */
export function stale(current: object): AppError {
  return new AppError(412, 'STALE', 'The record was changed meanwhile', { body: { current } })
}

/** 429: a limit is reached, for so many milliseconds more. */
export function rateLimited(msLeft: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(msLeft / 1000))
  return new AppError(429, 'RATE_LIMITED', 'Too many attempts; please wait', { retryAfter })
}

/** A page or picture of a storefront that can't be had. Its message can be stored and shown to staff. */
export class StorefrontError extends Error {
  readonly about: StorefrontFailure

  constructor(message: string, about: StorefrontFailure) {
    super(message)
    this.name = 'StorefrontError'
    this.about = about
  }
}

type StorefrontFailure = {
  /** Whether another attempt would say the same. */
  permanent: boolean
  /** What the server answered. */
  status?: number
  /** How long it asks us to wait. */
  retryAfterMs?: number
}
