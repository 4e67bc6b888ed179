import type { LookupFunction } from 'node:net'
import got, { type PlainResponse, type Request, RequestError } from 'got'
import { StorefrontError } from '../errors.ts'
import { beginningOf, oneLine } from '../rules/text.ts'
import type { Attempt } from '../rules/webhooks/attempts.ts'
import { createGuard, isRefusedAddress, refusedAddress } from './storefront/guard.ts'

const MAX_RESPONSE_BYTES = 4096
const MAX_RESPONSE_LENGTH = 1000

type Post = { headers: Record<string, string>; body: string; signal: AbortSignal }

export type WebhookRequests = {
  refusalOf(url: string): string | null
  post(url: string, request: Post): Promise<Attempt>
  close(): void
}

/** The part of createWebhookSender that needs the HTTP library. */
export function createWebhookRequests(
  allowedHosts: string[],
  { timeoutMs, lookup }: { timeoutMs: number; lookup: LookupFunction | undefined },
): WebhookRequests {
  const guard = createGuard(allowedHosts, lookup)

  async function attempt(url: URL, { headers, body, signal }: Post): Promise<Attempt> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const stream = got.stream.post(url, {
      ...guard.connectionTo(url),
      headers: { 'user-agent': 'shop-webhooks', ...headers },
      body,
      decompress: false,
      followRedirect: false,
      throwHttpErrors: false,
      retry: { limit: 0 },
      signal: AbortSignal.any([signal, timeout]),
    })
    try {
      const { statusCode } = await responseOf(stream)
      return { status: statusCode, response: await beginningOfBody(stream), error: null }
    } catch (error) {
      signal.throwIfAborted()
      const message = timeout.aborted ? `No answer within ${timeoutMs / 1000} s` : describe(error)
      return { status: null, response: null, error: message }
    } finally {
      stream.destroy()
    }
  }

  return {
    refusalOf(url) {
      try {
        guard.connectionTo(new URL(url))
        return null
      } catch (error) {
        return describe(error)
      }
    },
    async post(url, request) {
      const refusal = this.refusalOf(url)
      return refusal === null
        ? attempt(new URL(url), request)
        : { status: null, response: null, error: refusal }
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

/** Reads a few kilobytes: the rest, however long, is never received. */
async function beginningOfBody(stream: Request): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_RESPONSE_BYTES) break
  }
  const text = Buffer.concat(chunks).toString('utf8', 0, MAX_RESPONSE_BYTES)
  return beginningOf(text.replaceAll('\0', ''), MAX_RESPONSE_LENGTH)
}

function describe(error: unknown): string {
  if (error instanceof StorefrontError) return error.message
  if (isRefusedAddress(error)) return refusedAddress().message
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof RequestError ? `${error.code}: ` : ''
  return code + beginningOf(oneLine(message.toWellFormed()), 200)
}
