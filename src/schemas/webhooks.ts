import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { DELIVERY_STATUSES } from '../../db/tables/webhooks.ts'
import { type WebhookEvent as EventName, MAX_EVENT_PRODUCTS, WEBHOOK_EVENTS } from '../rules/webhooks.ts'
import * as t from './common.ts'
import { ContactRequest } from './contacts.ts'
import { EVENTS } from './events.ts'
import { StaffOrder } from './orders.ts'
import { SyncRun } from './sync.ts'

const WebhookEvent = t.NamedEnum('WebhookEvent', 'An event that a webhook can subscribe to', WEBHOOK_EVENTS)
const DeliveryStatus = t.NamedEnum(
  'DeliveryStatus',
  'Status of a delivery; FAILED: all attempts have failed',
  DELIVERY_STATUSES,
)

const Url = {
  ...t.HttpUrl('https://crm.example.com/hooks/shop'),
  description: 'http(s) URL on the public internet, without credentials',
}
const Events = Type.Array(t.ref(WebhookEvent), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  examples: [['order.created']],
  uniqueItems: true,
  description: 'The events to send',
})

export const Webhook = t.NamedObject('Webhook', 'A receiver of events', {
  id: t.Id('Id of the webhook'),
  url: Url,
  events: Events,
  active: Type.Boolean({
    description: 'Whether events are sent. Five days of failures, or a 410 from the receiver, switch a webhook off',
  }),
  description: t.Text('What it is for', 'Orders for the CRM'),
  failingSince: t.Nullable(t.Timestamp('First failure since the last delivery; null: the last attempt succeeded')),
  version: t.EDITED.version,
  createdAt: t.Timestamp('Time of creation'),
})
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = t.NamedObject('WebhookWithSecret', 'A webhook with its new secret', {
  ...Webhook.properties,
  secret: t.Text('Signs the requests; not shown again', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfIrIS0dsY='),
})
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const WebhookInput = t.NamedObject('WebhookInput', 'A webhook to create or change', {
  url: Url,
  events: Events,
  active: Type.Optional(Type.Boolean({ description: 'Whether to send events; initially true' })),
  description: Type.Optional(t.FreeText(500, 'What it is for', 'Orders for the CRM')),
})
export type WebhookInput = Static<typeof WebhookInput>

const ResponseStatus = t.Nullable(
  Type.Integer({ minimum: 100, maximum: 999, description: "Status of the receiver's response; null: none" }),
)
const ResponseText = t.Nullable(t.Text('First 1000 characters of the response', 'Bad Gateway'))

export const WebhookDelivery = t.NamedObject('WebhookDelivery', 'An event on its way to a webhook', {
  id: t.Id('Id of the delivery'),
  webhookId: t.Id('Id of the webhook'),
  messageId: t.Text('`webhook-id` of every attempt', 'msg_0e0f5a3c-2f31-4a0e-9d0f-5d1c8f0b7a11'),
  event: t.ref(WebhookEvent),
  status: t.ref(DeliveryStatus),
  attempts: t.Count('Attempts so far'),
  nextAttemptAt: t.Nullable(
    t.Timestamp('Earliest time of the next attempt; earlier deliveries go first. Null: none follows'),
  ),
  responseStatus: ResponseStatus,
  response: ResponseText,
  error: t.Nullable(t.Text('Why the last attempt failed', 'The receiver answered 502')),
  createdAt: t.Timestamp('Time of the event'),
  finishedAt: t.Nullable(t.Timestamp('When it was delivered or given up')),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookTestResult = t.NamedObject('WebhookTestResult', 'How a receiver answered a test', {
  delivered: Type.Boolean({ description: 'Whether the receiver accepted it' }),
  responseStatus: ResponseStatus,
  response: ResponseText,
  error: t.Nullable(t.Text('Why it failed')),
})
export type WebhookTestResult = Static<typeof WebhookTestResult>

export const DeliveryParams = Type.Object({ id: t.Id('Id of the webhook'), deliveryId: t.Id('Id of the delivery') })
export type DeliveryParams = Static<typeof DeliveryParams>

/** The body of a request to a receiver. */
function Message(type: string, description: string, data: TSchema) {
  const name = type.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())
  const timestamp = '2026-11-20T08:00:00.000Z'
  const body = {
    type: Type.Literal(type, { description: 'The event' }),
    timestamp: t.Timestamp('Time of the change'),
    data: data.$id === undefined ? data : t.ref(data),
  }
  const examples = [{ type, timestamp, data: t.exampleOf(data) }]
  return t.named(Type.Object(body, { $id: `${name}Message`, description, examples }))
}

const ChangedProducts = Type.Object(
  {
    ids: Type.Array(t.Id('Id of a product'), {
      maxItems: MAX_EVENT_PRODUCTS,
      description: 'The products; one may have been deleted',
    }),
  },
  { description: 'Changed products' },
)
const { builtAt, offers } = EVENTS.FeedPublished.properties
const PublishedFeed = Type.Object({ builtAt, offers }, { description: 'The feed' })

const EVENTS_DATA: Record<EventName | 'webhook.test', [description: string, data: TSchema]> = {
  'order.created': ['An order was placed; `data` is the order as it was then', StaffOrder],
  'order.status_changed': ['An order changed its status; `data` is the order as it was then', StaffOrder],
  'product.changed': [
    'Products that the public sees were changed, or are no longer shown, or became available or unavailable: read them again',
    ChangedProducts,
  ],
  'sync.finished': ['A sync succeeded or failed; its `feed` is built later', SyncRun],
  'feed.published': ['A new YML feed can be read', PublishedFeed],
  'contact.created': ['A contact request arrived', ContactRequest],
  'webhook.test': ['A test requested by staff', Type.Object({}, { description: 'Nothing' })],
}

/** The body of each event. */
export const MESSAGES = Object.fromEntries(
  Object.entries(EVENTS_DATA).map(([event, [description, data]]) => [event, Message(event, description, data)]),
)
