import { createHmac } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import type { Attempt } from '../rules/webhooks/attempts.ts'
import { SECRET_PREFIX } from '../rules/webhooks/events.ts'
import type { WebhookRequests } from './webhook-requests.ts'

/** For a whole attempt, with the lookup of the name and the answer's body. */
const TIMEOUT_MS = 10_000

type WebhookMessage = {
  url: string
  /** The same on each attempt. */
  id: string
  body: string
  /** Several during the day after a rotation. */
  secrets: string[]
}

export type WebhookSender = {
  /** @returns why requests to the URL are refused before its name is looked up; null: they aren't */
  refusalOf(url: string): Promise<string | null>
  /** Sends a message once, without following redirects. @throws the signal's reason, nothing else */
  send(message: WebhookMessage, signal: AbortSignal): Promise<Attempt>
  close(): void
}

export type WebhookOptions = { timeoutMs?: number; lookup?: LookupFunction; now?: () => Date }

/**
 * Creates a client that sends webhooks by the Standard Webhooks specification (contract section 13). Addresses are
 * guarded as those of the scraper, see createGuard.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createWebhookSender(
  allowedHosts: string[],
  { timeoutMs = TIMEOUT_MS, lookup, now = () => new Date() }: WebhookOptions = {},
): WebhookSender {
  let loading: Promise<WebhookRequests> | undefined
  // Loaded on first use to keep the start fast.
  function requests(): Promise<WebhookRequests> {
    loading ??= import('./webhook-requests.ts').then(({ createWebhookRequests }) =>
      createWebhookRequests(allowedHosts, { timeoutMs, lookup }),
    )
    return loading
  }
  return {
    refusalOf: async (url) => (await requests()).refusalOf(url),
    async send(message, signal) {
      const headers = { 'content-type': 'application/json', ...signatureHeaders(message, now()) }
      return (await requests()).post(message.url, { headers, body: message.body, signal })
    },
    close() {
      void loading?.then((loaded) => loaded.close())
    },
  }
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
