import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { ERROR_CODES } from '../errors.ts'
import type { Access } from '../rules/accounts/roles.ts'
import { JOBS } from '../rules/operations/jobs.ts'
import type { TopicName } from '../rules/topics.ts'
import { AlertName } from './alerts.ts'
import * as t from './common.ts'
import { ContactStatus } from './contacts.ts'
import { OrderStatus } from './orders.ts'
import { PipelineRun } from './pipeline.ts'
import { SyncRun } from './sync.ts'

// Messages of /ws/events (docs/events.md). They have no `$id`, which is for the OpenAPI document.

/** Product ids that one message names. */
export const MAX_ANNOUNCED_PRODUCTS = 500
export const MAX_TOPICS = 100

function message<const Name extends string, Members extends TProperties>(
  type: Name,
  description: string,
  members: Members,
) {
  const schema = Type.Object(
    { type: Type.Literal(type, { description: 'Kind of message' }), ...members },
    { title: type, description },
  )
  return { ...schema, examples: [t.exampleOf(schema)] }
}

const orderId = { id: t.Id('Id of the order') }
const orderStatus = { status: t.ref(OrderStatus) }
const contactId = { id: t.Id('Id of the contact request') }

/** What the server sends unasked, by its name in the AsyncAPI document. */
export const EVENTS = {
  ProductsChanged: message('products.changed', 'Products that the public sees were changed, or are new or gone', {
    ids: t.Nullable(Type.Array(t.Id('Id of a product'), { maxItems: MAX_ANNOUNCED_PRODUCTS }), {
      description: 'Ids of the products; null: any of them',
    }),
  }),
  ProductChanged: message(
    'product.changed',
    'A product changed. A hidden or deleted one has no price and is not available',
    {
      id: t.Id('Id of the product'),
      finalPrice: t.Nullable(t.Money('What the customer pays; null or 0: no price', 990)),
      available: Type.Boolean({ description: 'Whether it can be ordered' }),
      active: Type.Boolean({ description: 'False: hidden or deleted' }),
    },
  ),
  CatalogueChanged: message('catalogue.changed', 'Categories, brands, banners, features or settings changed', {}),
  FeedPublished: message('feed.published', 'A new feed is served', {
    builtAt: t.Timestamp('When it was built'),
    offers: t.Count('Number of offers'),
  }),
  OwnOrderChanged: message('order.changed', "One of the caller's orders was placed or changed", {
    ...orderId,
    ...orderStatus,
  }),
  OrderCreated: message('order.created', 'An order was placed', {
    ...orderId,
    number: t.Text('The id with leading zeros, for people', '000012'),
    total: t.Money('Items and delivery'),
  }),
  OrderChanged: message('order.changed', 'An order changed', {
    ...orderId,
    ...orderStatus,
    version: t.Count('Version of the order, for If-Match'),
  }),
  OrderDeleted: message('order.deleted', 'An order was deleted', orderId),
  ContactCreated: message('contact.created', 'A visitor sent a contact request', contactId),
  ContactChanged: message('contact.changed', 'A contact request changed', {
    ...contactId,
    status: t.ref(ContactStatus),
  }),
  SyncProgress: message(
    'sync.progress',
    'A sync is running: its record so far, at most once a second',
    SyncRun.properties,
  ),
  SyncFinished: message('sync.finished', 'A sync ended', SyncRun.properties),
  PipelineProgress: message(
    'pipeline.progress',
    'A run of the XML pipeline is in progress: its record so far, at most once a second',
    PipelineRun.properties,
  ),
  PipelineFinished: message('pipeline.finished', 'A run of the XML pipeline ended', PipelineRun.properties),
  ScrapeProgress: message('scrape.progress', 'Images are being fetched: tasks by status, at most once a second', {
    pending: t.Count('Waiting or in progress'),
    done: t.Count('Done'),
    failed: t.Count('Failed'),
  }),
  JobChanged: message('job.changed', 'A run of a job began or ended, or its schedule was switched on or off', {
    name: t.Enum(
      JOBS.map(({ name }) => name),
      { description: 'Name of the job' },
    ),
  }),
  AlertChanged: message('alert.changed', 'An alert began or is over', {
    name: t.ref(AlertName),
    open: Type.Boolean({ description: 'Whether it needs an operator' }),
  }),
}

export const Resync = message(
  'resync',
  'Messages may have been missed: read again what is shown. Sent to every connection, whatever its topics',
  {},
)

const TopicText = Type.String({ maxLength: 32, examples: ['products'] })
const topicList = (description: string) => Type.Array(TopicText, { maxItems: MAX_TOPICS, description })

export const Subscribed = message('subscribed', 'The response to an accepted message', {
  topics: topicList('All topics of the connection'),
})
export const Refused = message('error', 'The response to a refused message, which changed nothing', {
  code: t.Enum([...ERROR_CODES, 'UNAUTHORIZED'], { description: 'For programs' }),
  message: t.Text('For people', 'Your role does not allow this'),
})

/** What clients may send. */
export const CLIENT_MESSAGES = {
  subscribe: message('subscribe', 'Adds topics, all of them or none', { topics: topicList('Topics to add') }),
  unsubscribe: message('unsubscribe', 'Removes topics', { topics: topicList('Topics to remove') }),
  authenticate: message(
    'authenticate',
    'Identifies the caller, for topics that are not public. Send a new token before the old one expires',
    {
      token: t.FreeText(4096, 'A token of a login, or an API key', 'shop_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
    },
  ),
}
export const ClientMessage = Type.Union(Object.values(CLIENT_MESSAGES))
export type ClientMessage = Static<(typeof CLIENT_MESSAGES)[keyof typeof CLIENT_MESSAGES]>

type EventName = keyof typeof EVENTS
/** An event to send to the subscribers of a topic. */
export type Event = { [Name in EventName]: Static<(typeof EVENTS)[Name]> }[EventName]

export type ServerMessage = Event | Static<typeof Resync> | Static<typeof Subscribed> | Static<typeof Refused>

type TopicRule = { access: Access; description: string; events: readonly EventName[] }

/** Who may subscribe to what. A topic must state its access, as a route must. */
export const TOPICS = {
  products: { access: 'public', description: 'Changes of any product', events: ['ProductsChanged'] },
  'product:{id}': { access: 'public', description: 'Changes of one product', events: ['ProductChanged'] },
  catalogue: {
    access: 'public',
    description: 'Categories, brands, banners, features, public settings, and the feed',
    events: ['CatalogueChanged', 'FeedPublished'],
  },
  'my-orders': { access: 'user', description: "The caller's own orders", events: ['OwnOrderChanged'] },
  orders: { access: 'MANAGER', description: 'All orders', events: ['OrderCreated', 'OrderChanged', 'OrderDeleted'] },
  contacts: { access: 'MANAGER', description: 'Contact requests', events: ['ContactCreated', 'ContactChanged'] },
  runs: {
    access: 'ADMIN',
    description: 'Progress of syncs, of the XML pipeline and of image scraping',
    events: ['SyncProgress', 'SyncFinished', 'PipelineProgress', 'PipelineFinished', 'ScrapeProgress'],
  },
  jobs: { access: 'ADMIN', description: 'Background jobs', events: ['JobChanged'] },
  alerts: { access: 'ADMIN', description: 'Alerts', events: ['AlertChanged'] },
} as const satisfies Record<TopicName, TopicRule>
