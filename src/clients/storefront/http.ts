import { once } from 'node:events'
import type { LookupFunction } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import got, { type Request, RequestError } from 'got'
import { messageOf, StorefrontError } from '../../errors.ts'
import { beginningOf, oneLine } from '../../rules/text.ts'
import { createGuard } from './guard.ts'

/** `socket`: without data; `request`: in total, with retries and redirects, so that a slow trickle ends too. */
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, socket: 15_000, request: 60_000 }
const MAX_REDIRECTS = 5
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]
const MAX_RETRIES = 2
const RETRY_DELAY_MS = 500
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
  /** Of the body, uncompressed. */
  maxBytes: number
  credentials?: { username: string; password: string } | null
  /** Rejects the target of a redirect before it is requested. */
  check?: (url: URL) => Promise<void>
  signal: AbortSignal
}

export type Web = ReturnType<typeof createWeb>

/**
 * Creates an HTTP client for untrusted URLs, see createGuard. It follows redirects, and repeats temporary failures twice.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createWeb(
  { userAgent, allowedHosts }: { userAgent: string; allowedHosts: string[] },
  { timeout, retryDelayMs = RETRY_DELAY_MS, lookup }: StorefrontLimits = {},
) {
  const guard = createGuard(allowedHosts, lookup)
  const { request: totalMs, ...perAttempt } = { ...TIMEOUT, ...timeout }

  /**
   * Follows redirects and waits for the first bytes of a response. got would receive the body of a redirect to its end, and
   * fail with an uncaught error when that is cut off.
   * @throws also for statuses other than 2xx
   */
  async function open(url: URL, { headers, credentials, check, signal }: GetOptions): Promise<Request> {
    let target = url
    let sent = credentials
    for (let redirects = 0; ; redirects++) {
      const stream = got.stream(target, {
        ...guard.connectionTo(target),
        ...sent,
        headers: { 'user-agent': userAgent, ...headers },
        followRedirect: false,
        retry: { limit: 0 },
        // It would read the whole body of an error.
        throwHttpErrors: false,
        timeout: perAttempt,
        signal,
      })
      const firstBytes = once(stream, 'readable')
      await Promise.race([once(stream, 'response'), firstBytes])
      const { statusCode = 0, headers: { location = '' } = {} } = stream.response ?? {}
      if (statusCode >= 200 && statusCode < 300) {
        await firstBytes
        return stream
      }
      stream.destroy()
      if (!REDIRECT_STATUSES.includes(statusCode) || location === '') throw statusError(statusCode)
      if (redirects === MAX_REDIRECTS) throw new StorefrontError(`more than ${MAX_REDIRECTS} redirects`)
      const next = URL.parse(Buffer.from(location, 'latin1').toString(), target.href)
      if (next === null) throw new StorefrontError('the redirect has no valid address')
      await check?.(next)
      if (next.origin !== target.origin) sent = null
      target = next
    }
  }

  async function withRetries<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let retries = 0; ; retries++) {
      try {
        return await attempt()
      } catch (error) {
        const { permanent } = toStorefrontError(error)
        if (permanent || retries === MAX_RETRIES || signal.aborted) throw error
        await delay(retryDelayMs * 2 ** retries, undefined, { signal })
      }
    }
  }

  /** Limits the time of a whole call. `explain`: what an error that ended it means. */
  function startClock(signal: AbortSignal) {
    const tooLate = AbortSignal.timeout(totalMs)
    return {
      signal: AbortSignal.any([signal, tooLate]),
      explain(error: unknown): StorefrontError {
        signal.throwIfAborted()
        if (!tooLate.aborted) return toStorefrontError(error)
        return new StorefrontError(`ETIMEDOUT: no complete response within ${totalMs / 1000} s`, { permanent: false })
      },
    }
  }

  return {
    /** Fetches a file. @throws StorefrontError; the signal's reason */
    async get(url: URL, options: GetOptions): Promise<WebFile> {
      const { signal, explain } = startClock(options.signal)
      const attempt = async () => {
        const stream = await open(url, { ...options, signal })
        const bytes = await buffer(limited(stream, options.maxBytes))
        const { response } = stream
        return { url: new URL(response?.url ?? url), bytes, contentType: response?.headers['content-type'] }
      }
      try {
        return await withRetries(attempt, signal)
      } catch (error) {
        throw explain(error)
      }
    },
    /**
     * Reads a file while it arrives; repeats no failure after its first bytes.
     * @param onContentType called before the first bytes
     * @throws StorefrontError; the signal's reason
     */
    async *stream(url: URL, options: GetOptions, onContentType: (type?: string) => void) {
      const { signal, explain } = startClock(options.signal)
      try {
        const body = await withRetries(() => open(url, { ...options, signal }), signal)
        onContentType(body.response?.headers['content-type'])
        yield* limited(body, options.maxBytes)
      } catch (error) {
        throw explain(error)
      }
    },
    close: guard.close,
  }
}

async function* limited(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new StorefrontError(`the response is larger than ${maxBytes / 1024 / 1024} MB`)
    yield chunk
  }
}

/** Converts an error of got, which wraps what its hooks throw. */
export function toStorefrontError(error: unknown): StorefrontError {
  if (error instanceof StorefrontError) return error
  if (error instanceof RequestError && error.code === 'ERR_UNSUPPORTED_PROTOCOL')
    return new StorefrontError('the URL is not http(s)')
  if (error instanceof RequestError && error.cause instanceof StorefrontError) return error.cause
  const code = error instanceof RequestError ? `${error.code}: ` : ''
  const message = code + beginningOf(oneLine(messageOf(error)), 200)
  return new StorefrontError(message, { permanent: false })
}

function statusError(status: number): StorefrontError {
  const permanent = status < 500 && !TEMPORARY_STATUSES.includes(status)
  return new StorefrontError(`the server answered ${status}`, { permanent, status })
}
