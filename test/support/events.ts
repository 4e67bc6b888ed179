import { EventEmitter, once } from 'node:events'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { type ClientOptions, WebSocket } from 'ws'
import { SCHEMAS } from '../../src/schemas/common.ts'
import { EVENTS, Refused, Resync, type ServerMessage, Subscribed } from '../../src/schemas/events.ts'

const ajv = new Ajv({ strict: false, schemas: [...SCHEMAS.values()] })
addFormats.default(ajv)
ajv.addFormat('phone', true)
ajv.addFormat('line', true)
ajv.addFormat('http-url', true)
ajv.addFormat('link-or-blank', true)
ajv.addFormat('email-or-blank', true)
const isKnown = ajv.compile({ anyOf: [...Object.values(EVENTS), Resync, Subscribed, Refused] })

type OfType<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>

/** A client of /ws/events. */
export type EventClient = {
  socket: WebSocket
  /** All messages so far. */
  messages: ServerMessage[]
  /** Resolves with the first message of the type that nobody has taken. Those of other types stay, as they come in no promised order. */
  next<T extends ServerMessage['type']>(type: T): Promise<OfType<T>>
  /** Sends a message and resolves with its answer. */
  ask(message: object | string): Promise<OfType<'subscribed'> | OfType<'error'>>
  /** Subscribes, with a token if given. @throws Error if that is refused */
  subscribe(topics: string[], token?: string): Promise<void>
  closed: Promise<number>
}

/** Opens a connection. @throws Error with the status if the handshake is refused */
export async function openEvents(url: string, options: ClientOptions = {}): Promise<EventClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/events`, options)
  const messages: ServerMessage[] = []
  const untaken: ServerMessage[] = []
  const arrivals = new EventEmitter()
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code) => resolve(code))
  })
  socket.on('message', (data) => {
    const message: ServerMessage = JSON.parse(String(data))
    if (!isKnown(message)) throw new Error(`No schema describes ${String(data)}`)
    messages.push(message)
    untaken.push(message)
    arrivals.emit('message')
  })

  async function nextOf<T extends ServerMessage['type']>(types: T[]): Promise<OfType<T>> {
    const isWanted = (message: ServerMessage): message is OfType<T> => types.some((type) => type === message.type)
    for (;;) {
      const message = untaken.find(isWanted)
      if (message) {
        untaken.splice(untaken.indexOf(message), 1)
        return message
      }
      await once(arrivals, 'message')
    }
  }

  const client: EventClient = {
    socket,
    messages,
    next: (type) => nextOf([type]),
    ask(message) {
      socket.send(typeof message === 'string' ? message : JSON.stringify(message))
      return nextOf(['subscribed', 'error'])
    },
    async subscribe(topics, token) {
      const steps = [...(token ? [{ type: 'authenticate', token }] : []), { type: 'subscribe', topics }]
      for (const step of steps) {
        const answer = await client.ask(step)
        if (answer.type === 'error') throw new Error(`${answer.code}: ${answer.message}`)
      }
    },
    closed,
  }
  await once(socket, 'open')
  // What goes wrong later ends in `closed`.
  socket.on('error', () => {})
  return client
}

/** The status and code with which a handshake is refused. */
export async function refusedHandshake(
  url: string,
  options: ClientOptions = {},
): Promise<{ status: number | undefined; body: unknown }> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/events`, options)
  const [, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, body: JSON.parse(text) }
}
