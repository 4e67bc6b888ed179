import { createHmac } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import type { Request } from 'got'
import type { FaultReason } from '../rules/faults/sentences.ts'
import { readRetryAfter } from '../rules/http-dates.ts'
import { beginningOf } from '../rules/text.ts'
import { ATTEMPT_TIMEOUT_MS, type Attempt, SECRET_PREFIX } from '../rules/webhooks.ts'
import { createGuard } from './storefront/guard.ts'

const MAX_RESPONSE_BYTES = 4096
const MAX_RESPONSE_LENGTH = 1000

type WebhookMessage = {
  url: string
  /** The same on each attempt. */
  id: string
  body: string
  /** Several during the day after a rotation. */
  secrets: string[]
}

export type WebhookSender = ReturnType<typeof createWebhookSender>

export type WebhookOptions = { timeoutMs?: number; lookup?: LookupFunction; now?: () => Date }

/**
 * Creates a client that sends webhooks by the Standard Webhooks specification (docs/events.md). Addresses are
 * checked like those of the scraper, see createGuard.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createWebhookSender(
  allowedHosts: string[],
  { timeoutMs = ATTEMPT_TIMEOUT_MS, lookup, now = () => new Date() }: WebhookOptions = {},
) {
  const guard = createGuard(allowedHosts, lookup)
  return {
    /** @returns why no webhook may have the URL, as far as is known before its name is looked up; null: it may */
    refusalOf(url: URL): FaultReason | null {
      // Lists and the audit log would show them.
      return url.username || url.password ? { code: 'CREDENTIALS_IN_URL' } : guard.refusalOf(url)
    },
    /** Sends a message once, without following redirects. @throws the signal's reason, nothing else */
    async send(message: WebhookMessage, signal: AbortSignal): Promise<Attempt> {
      // The HTTP library is imported on first use to keep the start fast.
      const [{ default: got }, { toStorefrontError }] = await Promise.all([
        import('got'),
        import('./storefront/http.ts'),
      ])
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        const stream = got.stream.post(message.url, {
          ...guard.connectionTo(new URL(message.url)),
          headers: {
            'user-agent': 'shop-webhooks',
            'content-type': 'application/json',
            ...signatureHeaders(message, now()),
          },
          body: message.body,
          decompress: false,
          followRedirect: false,
          throwHttpErrors: false,
          retry: { limit: 0 },
          signal: AbortSignal.any([signal, timeout]),
        })
        const response = await beginningOfBody(stream)
        const { statusCode = null, headers = {} } = stream.response ?? {}
        return { status: statusCode, response, error: null, retryAfterMs: readRetryAfter(headers, now()) ?? undefined }
      } catch (error) {
        signal.throwIfAborted()
        const late = `No answer within ${timeoutMs / 1000} s`
        return { status: null, response: null, error: timeout.aborted ? late : toStorefrontError(error).message }
      }
    },
    close: () => guard.close(),
  }
}

/** Reads a few kilobytes and destroys the stream: the rest, however long, is never received. */
async function beginningOfBody(stream: Request): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_RESPONSE_BYTES) break
  }
  // Of a short answer, too: a later abort would be an uncaught error.
  stream.destroy()
  const text = Buffer.concat(chunks).toString('utf8', 0, MAX_RESPONSE_BYTES)
  return beginningOf(text.replaceAll('\0', ''), MAX_RESPONSE_LENGTH)
}

/** Each attempt is signed with its own time, so that receivers may refuse old ones. */
function signatureHeaders({ id, body, secrets }: WebhookMessage, at: Date) {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const sign = (secret: string) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  }
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  }
}
