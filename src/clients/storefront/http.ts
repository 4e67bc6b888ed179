import { lookup as dnsLookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import got, { type PlainResponse, type Request, RequestError } from 'got'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { StorefrontError } from '../../errors.ts'
import { isPublicAddress, namesPrivateAddress } from '../../rules/scraping/addresses.ts'
import { beginningOf, oneLine } from '../../rules/text.ts'

/** `socket`: without data, `request`: in total, so that a slow trickle ends too. */
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, socket: 15_000, request: 60_000 }
const MAX_RETRIES = 2
const RETRY_DELAY_MS = 500
/** After a longer `Retry-After` the next attempt of the task tries again. */
const MAX_RETRY_DELAY_MS = 5000
const MAX_RETRY_AFTER_MS = 3_600_000
/** Lower ports, except 80 and 443, belong to mail, shells and the like; browsers block most of them too. */
const MIN_UNPRIVILEGED_PORT = 1024
const NOT_PUBLIC = 'the address is private or not on the public internet'
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]

export type StorefrontLimits = {
  timeout?: Partial<typeof TIMEOUT>
  retryDelayMs?: number
  lookup?: LookupFunction
}

export type WebResponse =
  | { redirect: string }
  | { redirect: null; bytes: Buffer; contentType: string | undefined }

type GetOptions = { headers: { [name: string]: string }; maxBytes: number; signal: AbortSignal }

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
 * Creates an HTTP client for untrusted URLs. Addresses outside the public internet are rejected when the connection is
 * made, so that DNS rebinding doesn't help.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createWeb(
  { userAgent, allowedHosts }: { userAgent: string; allowedHosts: string[] },
  { timeout, retryDelayMs = RETRY_DELAY_MS, lookup = dnsLookup }: StorefrontLimits = {},
): Web {
  const publicLookup = rejectPrivate(lookup)
  const filtering = {
    http: new RequestFilteringHttpAgent({ keepAlive: true }),
    https: new RequestFilteringHttpsAgent({ keepAlive: true }),
  }
  const trusting = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const isAllowed = (url: URL) => allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`)

  function send(url: URL, { headers, signal }: GetOptions): Request {
    return got.stream(url, {
      headers: { 'user-agent': userAgent, ...headers },
      agent: isAllowed(url) ? trusting : filtering,
      dnsLookup: isAllowed(url) ? lookup : publicLookup,
      followRedirect: false,
      throwHttpErrors: false,
      retry: { limit: 0 },
      timeout: { ...TIMEOUT, ...timeout },
      signal,
    })
  }

  async function getOnce(url: URL, options: GetOptions): Promise<WebResponse> {
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
    }
  }

  return {
    async get(url, options, schedule) {
      if (!isAllowed(url)) assertPublicUrl(url)
      for (let attempt = 1; ; attempt++) {
        try {
          return await schedule(() => getOnce(url, options))
        } catch (error) {
          const wait =
            error instanceof StorefrontError
              ? (error.about.retryAfterMs ?? retryDelayMs * 2 ** (attempt - 1))
              : null
          if (wait === null || attempt > MAX_RETRIES || !isTemporary(error) || wait > MAX_RETRY_DELAY_MS)
            throw error
          await delay(wait, undefined, { signal: options.signal })
        }
      }
    },
    close() {
      for (const agent of [...Object.values(filtering), ...Object.values(trusting)]) agent.destroy()
    },
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

/** Rejects private addresses and unusual ports before any lookup. */
function assertPublicUrl(url: URL): void {
  if (namesPrivateAddress(url)) throw new StorefrontError(NOT_PUBLIC, { permanent: true })
  const port = portOf(url)
  if (port >= MIN_UNPRIVILEGED_PORT || [80, 443].includes(port)) return
  throw new StorefrontError(`port ${port} is not a web server's`, { permanent: true })
}

/** Rejects names with any private address. The filtering agent checks too, but misses some notations. */
function rejectPrivate(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const isPrivate = error === null && !addresses.every(isPublicAddress)
      callback(isPrivate ? Object.assign(new Error(NOT_PUBLIC), { code: 'EPRIVATE' }) : error, found, family)
    })
  }
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
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
  const message = error instanceof Error ? error.message : String(error)
  // The filtering agent's errors have no code.
  if (message === NOT_PUBLIC || /is not allowed\. Because/.test(message)) {
    return new StorefrontError(NOT_PUBLIC, { permanent: true })
  }
  const code = error instanceof RequestError ? `${error.code}: ` : ''
  return new StorefrontError(code + beginningOf(oneLine(message.toWellFormed().replaceAll('\0', '')), 200), {
    permanent: false,
  })
}

function isTemporary(error: unknown): boolean {
  return error instanceof StorefrontError && !error.about.permanent
}
