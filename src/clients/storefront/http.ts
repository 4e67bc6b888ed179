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

/** What bounds one request. `socket` is silence, `request` all of it: neither a stall nor a drip goes on for ever. */
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, socket: 15_000, request: 60_000 }
const RETRIES = 2
const RETRY_MS = 500
/** Who asks for more patience than that is asked again with the next attempt of the task. */
const MAX_WAIT_MS = 5000
const MAX_RETRY_AFTER_MS = 3_600_000
/** Browsers keep away from most of these too: behind them are mail, shells and the like. */
const LOWEST_OTHER_PORT = 1024
const PRIVATE = 'the address is private, or none of the public internet'
const REDIRECTS = [301, 302, 303, 307, 308]

export type StorefrontLimits = {
  timeout?: Partial<typeof TIMEOUT>
  retryMs?: number
  lookup?: LookupFunction
}

export type WebAnswer =
  | { redirect: string }
  | { redirect: null; bytes: Buffer; contentType: string | undefined }

type Ask = { headers: { [name: string]: string }; mostBytes: number; signal: AbortSignal }

export type Web = {
  /**
   * One GET without redirects, repeated twice when it fails for a reason that may pass.
   * @param turn each attempt waits for one of its own
   * @throws StorefrontError for whatever is no 2xx or redirect; the signal's reason
   */
  get(url: URL, ask: Ask, turn: <T>(call: () => Promise<T>) => Promise<T>): Promise<WebAnswer>
  close(): void
}

/**
 * HTTP to hosts that nobody has vouched for: an address that is not on the public internet is refused when the
 * connection is made, whatever its name resolves to then.
 * @param allowedHosts `host` or `host:port` that may lie anywhere
 */
export function createWeb(
  { userAgent, allowedHosts }: { userAgent: string; allowedHosts: string[] },
  { timeout, retryMs = RETRY_MS, lookup = dnsLookup }: StorefrontLimits = {},
): Web {
  const publicLookup = refusingPrivate(lookup)
  const filtering = {
    http: new RequestFilteringHttpAgent({ keepAlive: true }),
    https: new RequestFilteringHttpsAgent({ keepAlive: true }),
  }
  const trusting = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const isAllowed = (url: URL) => allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`)

  function begin(url: URL, { headers, signal }: Ask): Request {
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

  async function getOnce(url: URL, ask: Ask): Promise<WebAnswer> {
    const stream = begin(url, ask)
    try {
      const { statusCode, headers } = await answerOf(stream)
      if (REDIRECTS.includes(statusCode) && headers.location !== undefined) {
        return { redirect: headers.location }
      }
      if (statusCode < 200 || statusCode > 299) throw refusal(statusCode, headers['retry-after'])
      const bytes = await readBody(stream, ask.mostBytes)
      return { redirect: null, bytes, contentType: headers['content-type'] }
    } catch (error) {
      ask.signal.throwIfAborted()
      throw error instanceof StorefrontError ? error : unreachable(error)
    } finally {
      stream.destroy()
    }
  }

  return {
    async get(url, ask, turn) {
      if (!isAllowed(url)) refuseUnseen(url)
      for (let attempt = 1; ; attempt++) {
        try {
          return await turn(() => getOnce(url, ask))
        } catch (error) {
          const wait =
            error instanceof StorefrontError
              ? (error.about.retryAfterMs ?? retryMs * 2 ** (attempt - 1))
              : null
          if (wait === null || attempt > RETRIES || !mayPass(error) || wait > MAX_WAIT_MS) throw error
          await delay(wait, undefined, { signal: ask.signal })
        }
      }
    },
    close() {
      for (const agent of [...Object.values(filtering), ...Object.values(trusting)]) agent.destroy()
    },
  }
}

/** The head of the answer. */
function answerOf(stream: Request): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve)
    stream.once('error', reject)
  })
}

/** Unpacked, and given up as soon as it is too much. */
async function readBody(stream: Request, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > mostBytes) {
      throw new StorefrontError(`the answer is larger than ${mostBytes / 1024 / 1024} MB`, {
        permanent: true,
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What needs no connection to be refused. */
function refuseUnseen(url: URL): void {
  if (namesPrivateAddress(url)) throw new StorefrontError(PRIVATE, { permanent: true })
  const port = portOf(url)
  if (port >= LOWEST_OTHER_PORT || [80, 443].includes(port)) return
  throw new StorefrontError(`port ${port} is not one of web servers`, { permanent: true })
}

/** A name is as good as the worst of its addresses. The agent looks at them too, and knows some forms less. */
function refusingPrivate(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const isPrivate = error === null && !addresses.every(isPublicAddress)
      callback(isPrivate ? Object.assign(new Error(PRIVATE), { code: 'EPRIVATE' }) : error, found, family)
    })
  }
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}

/** 404 and 410 say that it will not come back; the rest of 4xx that we are not to have it, except for these. */
function refusal(status: number, retryAfter: string | undefined): StorefrontError {
  const permanent = status < 500 && ![408, 425, 429].includes(status)
  const asked = readRetryAfter(retryAfter)
  return new StorefrontError(`the server answered ${status}`, {
    permanent,
    status,
    ...(asked !== null && { retryAfterMs: Math.min(asked, MAX_RETRY_AFTER_MS) }),
  })
}

/** Seconds or an HTTP date, in milliseconds from now. */
function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

function unreachable(error: unknown): StorefrontError {
  const said = error instanceof Error ? error.message : String(error)
  // The agent's own words have no code.
  if (said === PRIVATE || /is not allowed\. Because/.test(said)) {
    return new StorefrontError(PRIVATE, { permanent: true })
  }
  const code = error instanceof RequestError ? `${error.code}: ` : ''
  return new StorefrontError(code + beginningOf(oneLine(said.toWellFormed().replaceAll('\0', '')), 200), {
    permanent: false,
  })
}

function mayPass(error: unknown): boolean {
  return error instanceof StorefrontError && !error.about.permanent
}
