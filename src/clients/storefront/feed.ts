import { once } from 'node:events'
import type { LookupFunction } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import got from 'got'
import { codeOf, FeedError } from '../../errors.ts'
import { splitAddress } from '../secrets.ts'
import { createGuard, portOf } from './guard.ts'
import { toStorefrontError } from './http.ts'

/** `maxBytes`: of the uncompressed feed; `retryDelayMs`: before the first retry, then doubling. */
const LIMITS = {
  idleTimeoutMs: 30_000,
  timeoutMs: 30 * 60_000,
  maxBytes: 1024 * 1024 * 1024,
  retryDelayMs: 1000,
}
export type FeedLimits = typeof LIMITS & { lookup: LookupFunction }
const CONNECT_TIMEOUT_MS = 10_000
const MAX_RETRIES = 3

export type FeedClient = ReturnType<typeof createFeedClient>

/**
 * Creates a client of the supplier's XML feed. Redirects to private addresses are refused, see createGuard.
 * @param url http(s), may contain credentials; its host may be private
 * @param allowedHosts further hosts that may be private
 */
export function createFeedClient(url: string, allowedHosts: string[], limits: Partial<FeedLimits> = {}) {
  const { idleTimeoutMs, timeoutMs, maxBytes, retryDelayMs } = { ...LIMITS, ...limits }
  const { address, credentials } = splitAddress(url)
  const home = new URL(address)

  async function request(signal: AbortSignal): Promise<Readable> {
    const guard = createGuard([`${home.hostname}:${portOf(home)}`, ...allowedHosts], limits.lookup)
    const stream = got.stream(address, {
      ...guard.followedTo(home),
      // got drops them on a redirect to another host.
      ...credentials,
      headers: { 'user-agent': 'shop-backend', accept: 'application/xml, text/xml, */*' },
      retry: { limit: 0 },
      timeout: {
        lookup: CONNECT_TIMEOUT_MS,
        connect: CONNECT_TIMEOUT_MS,
        secureConnect: CONNECT_TIMEOUT_MS,
        socket: idleTimeoutMs,
        request: timeoutMs,
      },
      signal,
    })
    stream.once('close', guard.close)
    await once(stream, 'readable')
    return stream
  }

  async function requestWithRetries(signal: AbortSignal): Promise<Readable> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await request(signal)
      } catch (error) {
        signal.throwIfAborted()
        if (attempt === MAX_RETRIES || toStorefrontError(error).about.permanent) throw new FeedError(describe(error))
        await delay(retryDelayMs * 2 ** attempt, undefined, { signal })
      }
    }
  }

  async function* limited(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
    let bytes = 0
    try {
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes > maxBytes) throw new FeedError(`The feed is larger than ${maxBytes} bytes`)
        yield chunk
      }
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof FeedError ? error : new FeedError(describe(error))
    }
  }

  return {
    /**
     * Opens the feed as an uncompressed stream. Requests are retried until the first byte has arrived.
     * @throws FeedError, also while reading; its message contains no part of the URL, which may hold credentials
     */
    async open(signal: AbortSignal): Promise<Readable> {
      const body = decompress(await requestWithRetries(signal))
      return Readable.from(limited(body, signal), { objectMode: false })
    },
  }
}

/** Decompresses a `.gz` file, which no header announces. */
function decompress(body: Readable): Readable {
  const head: Buffer | null = body.read()
  if (head === null) return body
  body.unshift(head)
  if (head[0] !== 0x1f || head[1] !== 0x8b) return body
  // Errors reach the reader of the returned stream.
  return pipeline(body, createGunzip({ chunkSize: 64 * 1024 }), () => {})
}

function describe(error: unknown): string {
  const { message, about } = toStorefrontError(error)
  if (about.status !== undefined) return `The feed's server answered ${about.status}`
  if (about.permanent) return `The feed could not be downloaded: ${message}`
  // Other messages contain the URL.
  const code = String(codeOf(error) ?? 'an unknown error')
  return /^Z_/.test(code) ? 'The gzipped feed is corrupt' : `The feed could not be downloaded: ${code}`
}
