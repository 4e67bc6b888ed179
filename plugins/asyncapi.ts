import type { TSchema } from '@sinclair/typebox'
import { CLIENT_MESSAGES, EVENTS, Refused, Resync, Subscribed, TOPICS } from '../src/schemas/events.ts'
import { SCHEMAS } from '../src/schemas/index.ts'
import { describeAccess } from './openapi.ts'

const MESSAGES: { [name: string]: TSchema } = { ...CLIENT_MESSAGES, ...EVENTS, Resync, Subscribed, Refused }

/** Describes the messages of live events as an AsyncAPI 3 document (contract section 12). */
export function describeEvents(version: string): object {
  const schemas = new Map<string, object>()
  const messages = Object.entries(MESSAGES).map(([name, { title, description, examples, ...payload }]) => [
    name,
    {
      name: title,
      title,
      summary: description,
      payload: resolve(payload, schemas),
      examples: examples?.map((example: unknown) => ({ payload: example })),
    },
  ])
  const channel = { $ref: '#/channels/events' }
  const inChannel = (name: string) => ({ $ref: `#/channels/events/messages/${name}` })
  const sent = Object.entries(TOPICS).map(([topic, { access, description, events }]) => [
    topic,
    {
      action: 'send',
      channel,
      title: `Topic ${topic}`,
      summary: description,
      description: describeAccess({ access }),
      messages: events.map(inChannel),
    },
  ])
  const received = Object.entries(CLIENT_MESSAGES).map(([name, { description }]) => [
    name,
    {
      action: 'receive',
      channel,
      summary: description,
      messages: [inChannel(name)],
      reply: { channel, messages: ['Subscribed', 'Refused'].map(inChannel) },
    },
  ])
  const resync = {
    action: 'send',
    channel,
    summary: 'Sent to any connection, whatever its topics',
    messages: [inChannel('Resync')],
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Shop live events',
      version,
      description:
        'Announces changes in the shop. Delivery is at most once: after every connect, and after `resync`, read again what you show.',
    },
    defaultContentType: 'application/json',
    channels: {
      events: {
        address: '/ws/events',
        title: 'Live events',
        description: 'A WebSocket of text frames, each one JSON message',
        messages: Object.fromEntries(
          Object.keys(MESSAGES).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: { ...Object.fromEntries([...received, ...sent]), resync },
    components: { messages: Object.fromEntries(messages), schemas: Object.fromEntries(schemas) },
  }
}

/** Points references by `$id` to the document's own schemas, which are collected. */
function resolve(value: unknown, schemas: Map<string, object>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '$id')
      .map(([key, member]) => {
        if (key !== '$ref' || typeof member !== 'string') return [key, resolve(member, schemas)]
        collect(member, schemas)
        return [key, `#/components/schemas/${member}`]
      }),
  )
}

function collect(name: string, schemas: Map<string, object>): void {
  if (schemas.has(name)) return
  const schema = SCHEMAS.find(({ $id }) => $id === name)
  schemas.set(name, {})
  schemas.set(name, Object(resolve(schema, schemas)))
}
