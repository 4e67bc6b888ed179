import type { TSchema } from '@sinclair/typebox'
import { CLIENT_MESSAGES, EVENTS, Refused, Resync, Subscribed, TOPICS } from '../src/schemas/events.ts'
import { inlined } from '../src/schemas/serialization.ts'
import { describeAccess } from './openapi.ts'

const MESSAGES: { [name: string]: TSchema } = { ...CLIENT_MESSAGES, ...EVENTS, Resync, Subscribed, Refused }

/** Describes the messages of live events as an AsyncAPI 3 document (docs/events.md). */
export function describeEvents(version: string): object {
  const messages = Object.entries(MESSAGES).map(([name, { title, description, examples, ...payload }]) => [
    name,
    {
      name: title,
      title,
      summary: description,
      payload: inlined(payload),
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
    summary: 'Sent to every connection, whatever its topics',
    messages: [inChannel('Resync')],
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Shop live events',
      version,
      description:
        'Announces changes in the shop. Messages are delivered at most once: after connecting, and after `resync`, reload what you show.',
    },
    defaultContentType: 'application/json',
    channels: {
      events: {
        address: '/ws/events',
        title: 'Live events',
        description: 'A WebSocket of text frames, each one JSON message',
        messages: Object.fromEntries(messages),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: { ...Object.fromEntries([...received, ...sent]), resync },
  }
}
