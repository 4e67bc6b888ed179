import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { WebhookEvent } from '../../src/rules/webhooks.ts'

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export interface WebhookTables {
  webhooks: {
    id: GeneratedAlways<number>
    url: string
    events: WebhookEvent[]
    active: boolean
    description: string
    /** Encrypted, in base64; not hashed, as every request is signed with it. 0.1.0 stored `whsec_…` as it is. */
    secret: string
    /** Signs too, until then. */
    previous_secret: string | null
    previous_secret_until: Date | null
    /** The first failure since the last success. */
    failing_since: Date | null
    /** When its failures switched it off. */
    switched_off_at: Date | null
    version: Generated<number>
    created_at: Generated<Date>
  }
  /** The outbox of the webhooks, written in the transaction of the change and delivered by a job. */
  webhook_deliveries: {
    id: GeneratedAlways<number>
    webhook_id: number
    /** Identifies the message to the receiver; the same on each attempt. */
    message_id: GeneratedAlways<string>
    event: WebhookEvent
    body: string
    status: Generated<DeliveryStatus>
    attempts: Generated<number>
    next_attempt_at: Generated<Date>
    /** Of the last attempt, as are `response` and `last_error`. */
    response_status: number | null
    response: string | null
    /** Null during an attempt. */
    last_error: string | null
    created_at: Generated<Date>
    /** When it was delivered or given up. */
    finished_at: Date | null
  }
}

export type WebhookRow = Selectable<WebhookTables['webhooks']>
export type WebhookDeliveryRow = Selectable<WebhookTables['webhook_deliveries']>
