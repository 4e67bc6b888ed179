import { setTimeout as delay } from 'node:timers/promises'
import got, { AbortError, HTTPError, RequestError, type RequestPromise, type Response } from 'got'
import type { SupplierConfig } from '../../config.ts'
import { SupplierError } from '../../errors.ts'
import { beginningOf } from '../../rules/text.ts'
import { createPacer } from './pacer.ts'

const LARGEST_ANSWER = 64 * 1024 * 1024
const RETRIES = 3
const FIRST_BACKOFF_MS = 1000
/** A supplier that asks for more patience is not asked again. */
const LONGEST_RETRY_AFTER_MS = 30_000
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, response: 30_000, request: 60_000 }
const POST_TIMEOUT_MS = 30_000

export type Query = Record<string, string | number>

/** What became of a POST: an answer of any status, or the reason why there is none. */
export type PostResult =
  | { status: number; body: string }
  /** `sent` is false when certainly nothing got as far as the supplier. */
  | { status: null; reason: string; sent: boolean }

export type SupplierHttp = {
  /**
   * An ordinary request, repeated three times when it fails for a reason that may pass.
   * @throws SupplierError
   */
  getJson(path: string, query: Query, signal: AbortSignal): Promise<unknown>
  /** An urgent request, made once. The texts of the result can be stored and hold none of our credentials. */
  postJson(path: string, body: object, signal: AbortSignal): Promise<PostResult>
}

export type SupplierHttpConfig = SupplierConfig & {
  baseUrl: string
  /** For the whole of a POST; half a minute unless a test says otherwise. */
  postTimeoutMs?: number
}

/**
 * Requests to the supplier: with its credentials, and `requestDelayMs` between them, whoever makes them. A repeat
 * waits for a new turn, so that nobody waits for another one's backoff.
 */
export function createSupplierHttp(config: SupplierHttpConfig): SupplierHttp {
  const { token, username, password, postTimeoutMs = POST_TIMEOUT_MS } = config
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  const withoutSecrets = createCleaner([token, password, basic])
  const paced = createPacer(config.requestDelayMs)
  const http = got.extend({
    prefixUrl: config.baseUrl,
    headers: { token, ...(config.authType === 'BASIC' ? { authorization: `Basic ${basic}` } : {}) },
    // A redirect would carry the credentials elsewhere.
    followRedirect: false,
    timeout: TIMEOUT,
    retry: { limit: 0 },
    responseType: 'text',
  })

  async function get(path: string, query: Query, signal: AbortSignal): Promise<unknown> {
    const { body } = await limited((stop) => http.get(path, { searchParams: query, signal: stop }), signal)
    return JSON.parse(body)
  }

  function post(path: string, body: object, signal: AbortSignal): Promise<Response<string>> {
    const timeout = { ...TIMEOUT, request: postTimeoutMs }
    // One that is kept open might be closed just now, and nobody could tell whether the request still arrived.
    const agent = { http: false, https: false } as const
    return limited(
      (stop) => http.post(path, { json: body, timeout, agent, throwHttpErrors: false, signal: stop }),
      signal,
    )
  }

  return {
    async getJson(path, query, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await paced('ordinary', () => get(path, query, signal), signal)
        } catch (error) {
          signal.throwIfAborted()
          const wait = attempt > RETRIES ? null : retryDelay(error, attempt)
          if (wait === null) {
            throw new SupplierError(withoutSecrets(`${path}: ${describe(error)}`), { cause: error })
          }
          await delay(wait, undefined, { signal })
        }
      }
    },
    async postJson(path, body, signal) {
      let begun = false
      const begin = () => {
        begun = true
        return post(path, body, signal)
      }
      try {
        const response = await paced('urgent', begin, signal)
        return { status: response.statusCode, body: withoutSecrets(response.body) }
      } catch (error) {
        const reason = describe(signal.aborted ? signal.reason : error)
        return { status: null, reason: withoutSecrets(reason), sent: begun && mayHaveArrived(error) }
      }
    },
  }
}

class AnswerTooLarge extends Error {}

/** Gives up on an answer that would fill the memory. */
async function limited(
  send: (stop: AbortSignal) => RequestPromise<Response<string>>,
  signal: AbortSignal,
): Promise<Response<string>> {
  const tooLarge = new AbortController()
  const request = send(AbortSignal.any([signal, tooLarge.signal]))
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > LARGEST_ANSWER) tooLarge.abort()
  })
  try {
    return await request
  } catch (error) {
    if (tooLarge.signal.aborted) throw new AnswerTooLarge('the answer is larger than 64 MiB')
    throw error
  }
}

/** @returns milliseconds; null when a repeat would not help */
function retryDelay(error: unknown, attempt: number): number | null {
  const backoff = FIRST_BACKOFF_MS * 2 ** (attempt - 1) + Math.random() * 100
  if (error instanceof HTTPError) {
    const { statusCode, headers } = error.response
    if (statusCode !== 429 && statusCode < 500) return null
    const asked = readRetryAfter(headers['retry-after'])
    if (asked === null) return backoff
    return asked <= LONGEST_RETRY_AFTER_MS ? asked : null
  }
  return error instanceof RequestError && !(error instanceof AbortError) ? backoff : null
}

/** Seconds or an HTTP date, in milliseconds from now; null when there is none that can be read. */
function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** Without a connection nothing can have arrived; with one, nobody knows. */
function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.timings === undefined) return true
  const { connect, secureConnect } = error.timings
  const encrypted = new URL(String(error.options.url)).protocol === 'https:'
  return (encrypted ? secureConnect : connect) !== undefined
}

function describe(error: unknown): string {
  if (error instanceof HTTPError) {
    const { statusCode, body } = error.response
    return `the supplier answered ${statusCode} ${beginningOf(String(body), 200)}`
  }
  if (error instanceof SyntaxError) return 'the answer is no JSON'
  if (error instanceof RequestError) return `${error.code}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

/** Takes our credentials out of a text, should the supplier repeat them, and what PostgreSQL can't store. */
function createCleaner(credentials: string[]): (text: string) => string {
  // What is shorter is in every text by chance.
  const secrets = credentials.filter((secret) => secret.length >= 4)
  return (text) => {
    const storable = text.toWellFormed().replaceAll('\0', '\uFFFD')
    return secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), storable)
  }
}
