import type { LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import got, { type PlainResponse, type Request, RequestError } from 'got'
import { StorefrontError } from '../../errors.ts'
import { beginningOf, oneLine } from '../../rules/text.ts'
import { createGuard, isRefusedAddress, refusedAddress } from './guard.ts'

/** `socket`: without data, `request`: a page or image in total with retries and redirects, so that a slow trickle ends too. */
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, socket: 15_000, request: 60_000 }
const MAX_RETRIES = 2
const RETRY_DELAY_MS = 500
/** After a longer `Retry-After` the next attempt of the task tries again. */
const MAX_RETRY_DELAY_MS = 5000
const MAX_RETRY_AFTER_MS = 3_600_000
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]

export type StorefrontLimits = {
  timeout?: Partial<typeof TIMEOUT>
  retryDelayMs?: number
  maxTurnMs?: number
  lookup?: LookupFunction
}

export type WebResponse =
  | { redirect: string }
  | { redirect: null; bytes: Buffer; contentType: string | undefined }

/** Milliseconds that requests have taken. */
export type TimeSpent = { ms: number }

type GetOptions = {
  headers: { [name: string]: string }
  maxBytes: number
  /** Shared by the requests that count against one total. */
  spent: TimeSpent
  signal: AbortSignal
}

export type Web = {
  /**
   * Sends a GET without following redirects, and retries temporary failures twice.
   * @param schedule runs each attempt when the host may be asked
   * @throws StorefrontError unless the status is 2xx or a redirect; the signal's reason
   */
  get(
    url: URL,
    options: GetOptions,
    schedule: <T>(call: () => Promise<T>) => Promise<T>,
  ): Promise<WebResponse>
  close(): void
}

/**
 * Creates an HTTP client for untrusted URLs, see createGuard.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createWeb(
  { userAgent, allowedHosts }: { userAgent: string; allowedHosts: string[] },
  { timeout, retryDelayMs = RETRY_DELAY_MS, lookup }: StorefrontLimits = {},
): Web {
  const guard = createGuard(allowedHosts, lookup)
  const limits = { ...TIMEOUT, ...timeout }

  function send(url: URL, { headers, spent, signal }: GetOptions): Request {
    return got.stream(url, {
      headers: { 'user-agent': userAgent, ...headers },
      ...guard.connectionTo(url),
      followRedirect: false,
      throwHttpErrors: false,
      retry: { limit: 0 },
      timeout: { ...limits, request: Math.max(1, limits.request - spent.ms) },
      signal,
    })
  }

  async function getOnce(url: URL, options: GetOptions): Promise<WebResponse> {
    const startedAt = performance.now()
    const stream = send(url, options)
    try {
      const { statusCode, headers } = await responseOf(stream)
      if (REDIRECT_STATUSES.includes(statusCode) && headers.location !== undefined) {
        return { redirect: headers.location }
      }
      if (statusCode < 200 || statusCode > 299) throw statusError(statusCode, headers['retry-after'])
      const bytes = await readBody(stream, options.maxBytes)
      return { redirect: null, bytes, contentType: headers['content-type'] }
    } catch (error) {
      options.signal.throwIfAborted()
      throw error instanceof StorefrontError ? error : connectionError(error)
    } finally {
      stream.destroy()
      options.spent.ms += performance.now() - startedAt
    }
  }

  return {
    async get(url, options, schedule) {
      guard.connectionTo(url)
      for (let attempt = 1; ; attempt++) {
        try {
          return await schedule(() => getOnce(url, options))
        } catch (error) {
          const wait =
            error instanceof StorefrontError
              ? (error.about.retryAfterMs ?? retryDelayMs * 2 ** (attempt - 1))
              : null
          const isOver = attempt > MAX_RETRIES || options.spent.ms >= limits.request
          if (wait === null || isOver || !isTemporary(error) || wait > MAX_RETRY_DELAY_MS) throw error
          await delay(wait, undefined, { signal: options.signal })
        }
      }
    },
    close: guard.close,
  }
}

function responseOf(stream: Request): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve)
    stream.once('error', reject)
  })
}

/** @throws StorefrontError as soon as the uncompressed body exceeds `maxBytes` */
async function readBody(stream: Request, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxBytes) {
      throw new StorefrontError(`the response is larger than ${maxBytes / 1024 / 1024} MB`, {
        permanent: true,
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** 4xx is permanent, except for timeouts and rate limits. */
function statusError(status: number, retryAfter: string | undefined): StorefrontError {
  const permanent = status < 500 && ![408, 425, 429].includes(status)
  const requestedMs = readRetryAfter(retryAfter)
  return new StorefrontError(`the server answered ${status}`, {
    permanent,
    status,
    ...(requestedMs !== null && { retryAfterMs: Math.min(requestedMs, MAX_RETRY_AFTER_MS) }),
  })
}

/** Parses `Retry-After`, in seconds or as a date. @returns milliseconds from now */
function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

function connectionError(error: unknown): StorefrontError {
  if (isRefusedAddress(error)) return refusedAddress()
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof RequestError ? `${error.code}: ` : ''
  return new StorefrontError(code + beginningOf(oneLine(message.toWellFormed().replaceAll('\0', '')), 200), {
    permanent: false,
  })
}

function isTemporary(error: unknown): boolean {
  return error instanceof StorefrontError && !error.about.permanent
}
