import { setTimeout as delay } from 'node:timers/promises'
import got, { AbortError, HTTPError, RequestError, type RequestPromise, type Response } from 'got'
import type { SupplierConfig } from '../../config.ts'
import { SupplierError } from '../../errors.ts'
import { beginningOf } from '../../rules/text.ts'
import { createPacer } from '../pacer.ts'
import { countItems } from './item-count.ts'
import { createCleaner, splitAddress } from './secrets.ts'

const MAX_RESPONSE_MB = 32
const RETRIES = 3
const FIRST_BACKOFF_MS = 1000
/** A supplier that asks for more patience is not asked again. */
const MAX_RETRY_AFTER_MS = 30_000
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, response: 30_000, request: 60_000 }
const POST_TIMEOUT_MS = 30_000

export type Query = Record<string, string | number>

/** What became of a POST: an answer of any status, or the reason why there is none. */
export type PostResult =
  | { status: number; body: string; raw: string }
  /** `sent` is false when certainly nothing got as far as the supplier. */
  | { status: null; reason: string; sent: boolean }

/** The answer to a GET; `date` is the header of that name. */
type GetResult = { body: unknown; date: string | undefined }

export type SupplierHttp = {
  /**
   * An ordinary request, repeated three times when it fails for a reason that may pass.
   * @param options.mostItems a list with more of them is refused before anything is built of it
   * @throws SupplierError
   */
  getJson(
    path: string,
    query: Query,
    options: { signal: AbortSignal; mostItems?: number },
  ): Promise<GetResult>
  /**
   * An urgent request, made once. The texts of the result can be stored and hold none of our credentials; `raw` is the
   * body as it came.
   */
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
  // An address with credentials in it would be in the messages of errors.
  const { address, credentials } = splitAddress(config.baseUrl)
  const login = config.authType === 'BASIC' ? { username, password } : credentials
  const withoutSecrets = createCleaner([
    { token, username, password },
    ...(credentials ? [{ token: credentials.username, ...credentials }] : []),
  ])
  const storable = (text: string) => withoutSecrets(text.toWellFormed().replaceAll('\0', '\uFFFD'))
  const paced = createPacer(config.requestDelayMs)
  const http = got.extend({
    prefixUrl: address,
    headers: { token, ...(login ? { authorization: basicAuthorization(login) } : {}) },
    // A redirect would carry the credentials elsewhere.
    followRedirect: false,
    timeout: TIMEOUT,
    retry: { limit: 0 },
    responseType: 'text',
  })

  async function get(path: string, query: Query, signal: AbortSignal): Promise<Response<string>> {
    return limited((stop) => http.get(path, { searchParams: query, signal: stop }), signal)
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
    async getJson(path, query, { signal, mostItems = Number.POSITIVE_INFINITY }) {
      for (let attempt = 1; ; attempt++) {
        try {
          const { body, headers } = await paced('ordinary', () => get(path, query, signal), signal)
          return { body: parse(body, mostItems), date: headers.date }
        } catch (error) {
          signal.throwIfAborted()
          const wait = attempt > RETRIES ? null : retryDelay(error, attempt)
          if (wait === null) {
            // Without the cause: what it holds of the request and the answer is for no log.
            throw new SupplierError(`${path}: ${describe(error, storable)}`)
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
        return { status: response.statusCode, body: storable(response.body), raw: response.body }
      } catch (error) {
        const reason = describe(signal.aborted ? signal.reason : error, storable)
        return { status: null, reason, sent: begun && mayHaveArrived(error) }
      }
    },
  }
}

function basicAuthorization({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

class AnswerTooLarge extends Error {}

/** The items are counted in the text: of a list that is too long nothing is built. */
function parse(body: string, mostItems: number): unknown {
  const items = mostItems === Number.POSITIVE_INFINITY ? 0 : countItems(body)
  if (items > mostItems) throw new AnswerTooLarge(`a page of ${items} items is larger than ${mostItems}`)
  return JSON.parse(body)
}

/** Gives up on an answer that would fill the memory, unpacked, while it is still on its way. */
async function limited(
  send: (stop: AbortSignal) => RequestPromise<Response<string>>,
  signal: AbortSignal,
): Promise<Response<string>> {
  const tooLarge = new AbortController()
  const request = send(AbortSignal.any([signal, tooLarge.signal]))
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > MAX_RESPONSE_MB * 1024 * 1024) tooLarge.abort()
  })
  try {
    return await request
  } catch (error) {
    if (tooLarge.signal.aborted) throw new AnswerTooLarge(`the answer is larger than ${MAX_RESPONSE_MB} MB`)
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
    return asked <= MAX_RETRY_AFTER_MS ? asked : null
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

/** @param storable takes out what must not be kept, before the text is cut: half a secret would not be found */
function describe(error: unknown, storable: (text: string) => string): string {
  if (error instanceof HTTPError) {
    const { statusCode, body } = error.response
    return `the supplier answered ${statusCode} ${beginningOf(storable(String(body).slice(0, 10_000)), 200)}`
  }
  if (error instanceof SyntaxError) return 'the answer is no JSON'
  if (error instanceof RequestError) return storable(`${error.code}: ${error.message}`)
  return storable(error instanceof Error ? error.message : String(error))
}
