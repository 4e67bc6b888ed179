/** The events that webhooks can subscribe to (docs/events.md). */
export const WEBHOOK_EVENTS = [
  'order.created',
  'order.status_changed',
  'product.changed',
  'sync.finished',
  'feed.published',
  'contact.created',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** For a whole attempt, with the lookup of the name and the answer's body. */
export const ATTEMPT_TIMEOUT_MS = 10_000

/** What a secret begins with, before its base64 (Standard Webhooks specification). */
export const SECRET_PREFIX = 'whsec_'

/** Ids of one `product.changed`. */
export const MAX_EVENT_PRODUCTS = 500

/** Splits the ids of products, which may repeat, among the events that announce them. */
export function productBatches(changed: number[]): number[][] {
  const ids = [...new Set(changed)].sort((a, b) => a - b)
  return Array.from({ length: Math.ceil(ids.length / MAX_EVENT_PRODUCTS) }, (_, index) =>
    ids.slice(index * MAX_EVENT_PRODUCTS, (index + 1) * MAX_EVENT_PRODUCTS),
  )
}

/** The body of a request; `webhook.test` is only sent on request. */
export function eventBody(type: WebhookEvent | 'webhook.test', at: Date, data: unknown): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data })
}

/** `webhook-id` of a message. @param id a UUID, so that it is unique across restored backups */
export function messageIdOf(id: string): string {
  return `msg_${id}`
}

type Secrets = { secret: string; previous_secret: string | null; previous_secret_until: Date | null }

/** The secrets that sign a request: for a day after a rotation, the previous one too. */
export function secretsAt(now: Date, { secret, previous_secret, previous_secret_until: until }: Secrets): string[] {
  return previous_secret !== null && until !== null && until > now ? [secret, previous_secret] : [secret]
}

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
/** Pauses between attempts: nine attempts in two days (docs/events.md). */
const RETRY_DELAYS_S = [5, MINUTE_S, 5 * MINUTE_S, 30 * MINUTE_S, 2 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, 24 * HOUR_S]

const MAX_DELAY_S = 24 * HOUR_S

/**
 * The delay after a failed attempt, the first being 1: at least what the receiver asks for, up to a day.
 * @returns null when there is no further attempt
 */
export function retryDelayMs(attempts: number, { retryAfterMs = 0 }: Attempt): number | null {
  const seconds = RETRY_DELAYS_S[attempts - 1]
  return seconds === undefined ? null : Math.max(seconds * 1000, Math.min(retryAfterMs, MAX_DELAY_S * 1000))
}

/** How an attempt ended; `response` is the beginning of the answer's body, `retryAfterMs` its `Retry-After`. */
export type Attempt = {
  status: number | null
  response: string | null
  error: string | null
  retryAfterMs?: number
}

export function isDelivered({ status, error }: Attempt): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/** Why an attempt failed, for staff. */
export function failureOf({ status, error }: Attempt): string {
  return error ?? `The receiver answered ${status}`
}
