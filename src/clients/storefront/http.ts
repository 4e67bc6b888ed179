import type { LookupFunction } from 'node:net'
import got, { HTTPError, MaxRedirectsError, RequestError } from 'got'
import { messageOf, StorefrontError } from '../../errors.ts'
import { beginningOf, oneLine } from '../../rules/text.ts'
import { readRetryAfter } from '../pacer.ts'
import { createGuard, MAX_REDIRECTS } from './guard.ts'

/** `socket`: without data; `request`: in total, with retries and redirects, so that a slow trickle ends too. */
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, socket: 15_000, request: 60_000 }
const MAX_RETRIES = 2
const RETRY_DELAY_MS = 500
/** A longer `Retry-After` is left to the next attempt of the task. */
const MAX_RETRY_DELAY_MS = 5000
const MAX_RETRY_AFTER_MS = 3_600_000
/** Besides 5xx; every other 4xx is permanent. */
const TEMPORARY_STATUSES = [408, 425, 429]

export type StorefrontLimits = {
  timeout?: Partial<typeof TIMEOUT>
  retryDelayMs?: number
  lookup?: LookupFunction
}

export type WebFile = { url: URL; bytes: Buffer; contentType: string | undefined }

export type GetOptions = {
  headers: { [name: string]: string }
  maxBytes: number
  /** Rejects the target of a redirect before it is requested. */
  check?: (url: URL) => Promise<void>
  signal: AbortSignal
}

export type Web = ReturnType<typeof createWeb>

/**
 * Creates an HTTP client for untrusted URLs, see createGuard.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createWeb(
  { userAgent, allowedHosts }: { userAgent: string; allowedHosts: string[] },
  { timeout, retryDelayMs = RETRY_DELAY_MS, lookup }: StorefrontLimits = {},
) {
  const guard = createGuard(allowedHosts, lookup)
  const { request: totalMs, ...perAttempt } = { ...TIMEOUT, ...timeout }

  return {
    /**
     * Fetches a file. Follows redirects, and repeats temporary failures twice.
     * @throws StorefrontError; the signal's reason
     */
    async get(url: URL, { headers, maxBytes, check, signal }: GetOptions): Promise<WebFile> {
      const tooLarge = new AbortController()
      const tooLate = AbortSignal.timeout(totalMs)
      const request = got(url, {
        ...guard.followedTo(url, check),
        headers: { 'user-agent': userAgent, ...headers },
        responseType: 'buffer',
        timeout: perAttempt,
        retry: {
          limit: MAX_RETRIES,
          enforceRetryRules: false,
          calculateDelay: ({ attemptCount, error }) => {
            const { permanent, retryAfterMs } = toStorefrontError(error).about
            const delayMs = retryAfterMs ?? retryDelayMs * 2 ** (attemptCount - 1)
            return permanent || attemptCount > MAX_RETRIES || delayMs > MAX_RETRY_DELAY_MS ? 0 : delayMs
          },
        },
        signal: AbortSignal.any([signal, tooLarge.signal, tooLate]),
      })
      request.on('downloadProgress', ({ transferred }) => {
        if (transferred > maxBytes) tooLarge.abort()
      })
      try {
        const response = await request
        const contentType = response.headers['content-type']
        return { url: new URL(response.url), bytes: Buffer.from(response.body), contentType }
      } catch (error) {
        signal.throwIfAborted()
        if (tooLarge.signal.aborted) {
          throw permanent(`the response is larger than ${maxBytes / 1024 / 1024} MB`)
        }
        if (tooLate.aborted) {
          throw new StorefrontError(`ETIMEDOUT: no whole answer within ${totalMs / 1000} s`, { permanent: false })
        }
        throw toStorefrontError(error)
      }
    },
    close: guard.close,
  }
}

/** Converts an error of got, which wraps what its hooks throw. */
export function toStorefrontError(error: unknown): StorefrontError {
  if (error instanceof StorefrontError) return error
  if (error instanceof HTTPError) return statusError(error.response.statusCode, error.response.headers)
  if (error instanceof MaxRedirectsError) return permanent(`more than ${MAX_REDIRECTS} redirects`)
  if (error instanceof RequestError && error.code === 'ERR_UNSUPPORTED_PROTOCOL')
    return permanent('the URL is not http(s)')
  if (error instanceof RequestError && error.cause instanceof StorefrontError) return error.cause
  const code = error instanceof RequestError ? `${error.code}: ` : ''
  const message = code + beginningOf(oneLine(messageOf(error)), 200)
  return new StorefrontError(message, { permanent: false })
}

function permanent(message: string): StorefrontError {
  return new StorefrontError(message, { permanent: true })
}

function statusError(status: number, headers: { 'retry-after'?: string }): StorefrontError {
  const requestedMs = readRetryAfter(headers['retry-after'])
  return new StorefrontError(`the server answered ${status}`, {
    permanent: status < 500 && !TEMPORARY_STATUSES.includes(status),
    status,
    ...(requestedMs !== null && { retryAfterMs: Math.min(requestedMs, MAX_RETRY_AFTER_MS) }),
  })
}
