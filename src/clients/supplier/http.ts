import { setTimeout as delay } from 'node:timers/promises'
import type { Span } from '@opentelemetry/api'
import got, { AbortError, HTTPError, RequestError, type RequestPromise, type Response } from 'got'
import type { SupplierConfig } from '../../config.ts'
import { messageOf, SupplierError } from '../../errors.ts'
import { encodingOf } from '../../rules/encoding.ts'
import { readRetryAfter } from '../../rules/http-dates.ts'
import type { OrderAnswer } from '../../rules/supplier/records.ts'
import { beginningOf } from '../../rules/text.ts'
import { inSpan } from '../../runtime/tracing.ts'
import { createPacer } from '../pacer.ts'
import { createRedactor, splitAddress } from '../secrets.ts'
import { parseAnswer } from './json.ts'
import { notSent, readOrderAnswer, unanswered } from './wire.ts'

const MAX_RESPONSE_MB = 32
const RETRIES = 3
const FIRST_BACKOFF_MS = 1000
/** A longer Retry-After fails the request. */
const MAX_RETRY_AFTER_MS = 30_000
const TIMEOUT = { lookup: 5000, connect: 5000, secureConnect: 5000, response: 30_000, request: 60_000 }
const POST_TIMEOUT_MS = 30_000

export type Query = Record<string, string | number>

type Send = (stop: AbortSignal) => RequestPromise<Response<Uint8Array>>

export type SupplierHttp = ReturnType<typeof createSupplierHttp>

export type SupplierHttpConfig = SupplierConfig & {
  baseUrl: string
  /** Total time of a POST. */
  postTimeoutMs?: number
}

/** Sends credentials with each request, and pauses `requestDelayMs` between any two. A retry joins the queue again. */
export function createSupplierHttp(config: SupplierHttpConfig, traceparent: () => string | undefined) {
  const { token, username, password, postTimeoutMs = POST_TIMEOUT_MS } = config
  // The messages of errors contain the address.
  const { address, credentials } = splitAddress(config.baseUrl)
  const login = config.authType === 'BASIC' ? { username, password } : credentials
  const pair = login === null ? '' : `${login.username}:${login.password}`
  // The supplier may echo what it gets.
  const redact = createRedactor([token, pair, login?.password ?? '', credentials?.username ?? ''])
  const storable = (text: string) => redact(text.toWellFormed().replaceAll('\0', '\uFFFD'))
  const paced = createPacer(config.requestDelayMs)
  const http = got.extend({
    prefixUrl: address,
    headers: { token, ...(login && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }) },
    // A redirect could send the credentials to another host.
    followRedirect: false,
    timeout: TIMEOUT,
    retry: { limit: 0 },
    responseType: 'buffer',
  })

  /** Call it before queueing: the queue may send the call in the context of another request. */
  const traceHeaders = () => ({ traceparent: traceparent() })

  function traced(method: string, path: string, send: Send, signal: AbortSignal) {
    const { host, pathname } = new URL(`${address}/${path}`)
    const attributes = { 'http.request.method': method, 'server.address': host, 'url.path': pathname }
    return inSpan(`supplier ${path}`, attributes, (span) => limited(send, signal, span))
  }

  return {
    /**
     * Sends a request, with up to three retries after transient errors.
     * @param options.maxItems a longer list is refused
     * @returns `length`: of the body, in characters; `date`: the header
     * @throws SupplierError
     */
    async getJson(
      path: string,
      query: Query,
      { signal, maxItems }: { signal: AbortSignal; maxItems: number },
    ): Promise<{ body: unknown; length: number; date: string | undefined }> {
      const options = { searchParams: query, headers: traceHeaders() }
      const get = () => traced('GET', path, (stop) => http.get(path, { ...options, signal: stop }), signal)
      for (let attempt = 1; ; attempt++) {
        try {
          const response = await paced('ordinary', get, signal)
          const { headers, statusCode } = response
          // got returns a redirect that it doesn't follow like any other response.
          if (statusCode > 299)
            throw new Error(`the supplier answered ${statusCode} with a redirect to ${headers.location ?? 'nowhere'}`)
          const text = decode(response, { fatal: true })
          return { body: parseAnswer(text, maxItems), length: text.length, date: headers.date }
        } catch (error) {
          signal.throwIfAborted()
          const wait = attempt > RETRIES ? null : retryDelay(error, attempt)
          if (wait === null) {
            // Without the cause: it contains credentials and must not be logged.
            throw new SupplierError(`${path}: ${describe(error, storable)}`)
          }
          await delay(wait, undefined, { signal })
        }
      }
    },
    /** Sends an order once, before waiting GETs. Never throws; the texts of the result contain no credentials. */
    async postOrder(path: string, body: object, signal: AbortSignal): Promise<OrderAnswer> {
      const options = {
        json: body,
        headers: traceHeaders(),
        timeout: { ...TIMEOUT, request: postTimeoutMs },
        // If the supplier closes a reused connection, it is unclear whether the request arrived.
        agent: { http: false, https: false },
        throwHttpErrors: false,
      } as const
      let begun = false
      const begin = () => {
        begun = true
        return traced('POST', path, (stop) => http.post(path, { ...options, signal: stop }), signal)
      }
      try {
        const response = await paced('urgent', begin, signal)
        const answer = decode(response)
        return readOrderAnswer(response.statusCode, answer, storable(answer))
      } catch (error) {
        const reason = describe(signal.aborted ? signal.reason : error, storable)
        return begun && mayHaveArrived(error) ? unanswered(reason) : notSent(reason)
      }
    },
  }
}

/** Aborts an answer whose unpacked body is too large while it is being received. */
async function limited(send: Send, signal: AbortSignal, span: Span | undefined): Promise<Response<Uint8Array>> {
  const tooLarge = new AbortController()
  const request = send(AbortSignal.any([signal, tooLarge.signal]))
  request.on('response', ({ statusCode }) => span?.setAttribute('http.response.status_code', statusCode))
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > MAX_RESPONSE_MB * 1024 * 1024) tooLarge.abort()
  })
  try {
    return await request
  } catch (error) {
    if (tooLarge.signal.aborted) throw new Error(`the answer is larger than ${MAX_RESPONSE_MB} MB`)
    throw error
  }
}

/**
 * Decodes a body by its byte order mark or the header's charset, else as UTF-8.
 * @throws Error for invalid bytes if `fatal`; else they become U+FFFD
 */
function decode({ rawBody, headers }: Response, { fatal = false } = {}): string {
  const encoding = encodingOf(rawBody, headers['content-type']) ?? 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal }).decode(rawBody)
  } catch {
    throw new Error(`the answer has bytes that are not ${encoding.toUpperCase()}`)
  }
}

/** @returns milliseconds; null when a retry would not help */
function retryDelay(error: unknown, attempt: number): number | null {
  const backoff = FIRST_BACKOFF_MS * 2 ** (attempt - 1) + Math.random() * 100
  if (error instanceof HTTPError) {
    const { statusCode, headers } = error.response
    if (statusCode !== 429 && statusCode < 500) return null
    const asked = readRetryAfter(headers, new Date())
    if (asked === null) return backoff
    return asked <= MAX_RETRY_AFTER_MS ? asked : null
  }
  return error instanceof RequestError && !(error instanceof AbortError) ? backoff : null
}

/** A request can only have arrived over an established connection. */
function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof RequestError) || error.timings === undefined) return true
  const { connect, secureConnect } = error.timings
  const encrypted = new URL(String(error.options.url)).protocol === 'https:'
  return (encrypted ? secureConnect : connect) !== undefined
}

/** @param storable removes credentials; applied before the text is cut, as half a secret would not be found */
function describe(error: unknown, storable: (text: string) => string): string {
  if (error instanceof HTTPError) {
    const body = decode(error.response).slice(0, 10_000)
    return `the supplier answered ${error.response.statusCode} ${beginningOf(storable(body), 200)}`
  }
  if (error instanceof SyntaxError) return 'the answer is not JSON'
  if (error instanceof RequestError) return storable(`${error.code}: ${error.message}`)
  return storable(messageOf(error))
}
