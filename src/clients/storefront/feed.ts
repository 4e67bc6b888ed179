import { once } from 'node:events'
import { pipeline, Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import got, { HTTPError, RequestError } from 'got'
import { FeedError } from '../../errors.ts'
import { splitAddress } from '../supplier/secrets.ts'

/** What bounds a download; `largestBytes` counts unpacked. */
export type FeedLimits = { silentMs: number; totalMs: number; largestBytes: number; retryMs: number }

const LIMITS: FeedLimits = {
  silentMs: 30_000,
  totalMs: 30 * 60_000,
  largestBytes: 1024 * 1024 * 1024,
  retryMs: 1000,
}
const CONNECT_MS = 10_000
const RETRIES = 3
const MAX_REDIRECTS = 5

export type FeedClient = {
  /**
   * The feed, unpacked, as it arrives; the address is asked again as long as nothing has.
   * @throws FeedError, also while it is being read, with a message that holds no part of the address
   */
  open(signal: AbortSignal): Promise<Readable>
}

/** Reads the supplier's XML feed, whose address may hold credentials. @param url http(s), as the operator gave it */
export function createFeedClient(url: string, limits: Partial<FeedLimits> = {}): FeedClient {
  const { silentMs, totalMs, largestBytes, retryMs } = { ...LIMITS, ...limits }
  const { address, credentials } = splitAddress(url)

  async function request(signal: AbortSignal): Promise<Readable> {
    const stream = got.stream(address, {
      // Not sent on to another host.
      ...credentials,
      headers: { 'user-agent': 'shop-backend', accept: 'application/xml, text/xml, */*' },
      maxRedirects: MAX_REDIRECTS,
      retry: { limit: 0 },
      timeout: {
        lookup: CONNECT_MS,
        connect: CONNECT_MS,
        secureConnect: CONNECT_MS,
        socket: silentMs,
        request: totalMs,
      },
      signal,
    })
    await once(stream, 'readable')
    return stream
  }

  async function begin(signal: AbortSignal): Promise<Readable> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await request(signal)
      } catch (error) {
        signal.throwIfAborted()
        if (attempt === RETRIES || !mayPass(error)) throw new FeedError(describe(error))
        await delay(retryMs * 2 ** attempt, undefined, { signal })
      }
    }
  }

  async function* measured(body: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
    let bytes = 0
    try {
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes > largestBytes) throw new FeedError(`The feed is larger than ${largestBytes} bytes`)
        yield chunk
      }
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof FeedError ? error : new FeedError(describe(error))
    }
  }

  return {
    async open(signal) {
      const body = unpacked(await begin(signal))
      return Readable.from(measured(body, signal), { objectMode: false })
    },
  }
}

/** A file that is packed itself, which no header says, is unpacked. */
function unpacked(body: Readable): Readable {
  const beginning: Buffer | null = body.read()
  if (beginning === null) return body
  body.unshift(beginning)
  if (beginning[0] !== 0x1f || beginning[1] !== 0x8b) return body
  // What breaks on the way is heard by whoever reads the end.
  return pipeline(body, createGunzip({ chunkSize: 64 * 1024 }), () => {})
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof HTTPError)) return error instanceof RequestError
  return error.response.statusCode === 429 || error.response.statusCode >= 500
}

/** got's own words hold the address. */
function describe(error: unknown): string {
  if (error instanceof HTTPError) return `The feed's server answered ${error.response.statusCode}`
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'an unknown error'
  return /^Z_/.test(code) ? 'The feed is packed, and its file is broken' : `The feed can't be had: ${code}`
}
