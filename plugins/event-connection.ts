import type { WebSocket } from '@fastify/websocket'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../db/tables/users.ts'
import { AppError, forbidden, totpSetupRequired, unauthorized } from '../src/errors.ts'
import { type Access, atLeast, mayCall } from '../src/rules/accounts/roles.ts'
import { productOfTopic } from '../src/rules/topics.ts'
import { ClientMessage, MAX_TOPICS, type ServerMessage, TOPICS } from '../src/schemas/events.ts'
import { toAppError } from './errors.ts'

/** Close codes, besides those that `ws` sends itself. */
const CLOSE = {
  stopping: [1001, 'The server is stopping'],
  tooManyMessages: [1008, 'Too many messages'],
  tooSlow: [1013, 'Messages are not read'],
  unavailable: [1013, 'The token cannot be checked'],
  tokenInvalid: [4401, 'The token is no longer valid'],
} as const satisfies { [reason: string]: [number, string] }

/** Unsent bytes, including those dropped since the client fell behind. */
const MAX_UNSENT_BYTES = 1024 * 1024
/** Beyond this, messages are dropped, and the client gets a resync once it has caught up. */
const MAX_BUFFERED_BYTES = 128 * 1024
const MAX_MESSAGES_PER_SECOND = 20
const PING_INTERVAL_MS = 30_000
const MAX_MISSED_PONGS = 2
/** A connection that is still open this long after a close is cut off. */
const CLOSE_TIMEOUT_MS = 2000

const clientMessage = TypeCompiler.Compile(ClientMessage)

export type EventConnection = ReturnType<typeof createEventConnection>

/** Serves the connection of one client (docs/events.md). */
export function createEventConnection(app: FastifyInstance, socket: WebSocket, request: FastifyRequest) {
  const { events, now } = app.deps
  let token: string | null = null
  let caller: Caller | null = null
  let expiry: NodeJS.Timeout | undefined
  let missedPongs = 0
  let droppedBytes = 0
  let windowStart = 0
  let windowMessages = 0
  let lastMessage = Promise.resolve()

  const connection = {
    get userId() {
      return caller?.id ?? null
    },
    send(message: Buffer): void {
      if (socket.readyState !== socket.OPEN) return
      const { bufferedAmount } = socket
      if (bufferedAmount + droppedBytes + message.length > MAX_UNSENT_BYTES) close('tooSlow')
      else if (droppedBytes > 0 || bufferedAmount > MAX_BUFFERED_BYTES) droppedBytes += message.length
      else socket.send(message, { binary: false }, onSent)
    },
    /** Closes the connection if its token is no longer valid, its role is lower than it was, or it needs a second factor. */
    async recheck(): Promise<void> {
      const checked = token
      if (checked === null || caller === null) return
      try {
        const identity = await app.identifyToken(checked)
        // Meanwhile, the client has sent another one.
        if (token !== checked) return
        const isValid = identity !== null && !identity.needsTotp && atLeast(identity.caller.role, caller.role)
        if (!isValid) close('tokenInvalid')
        else caller = identity.caller
      } catch (err) {
        request.log.warn({ err }, 'token of a live connection not checked')
        close('unavailable')
      }
    },
    /** Whether a change of these accounts concerns the caller. @param ids null: all accounts; ignored for API keys */
    isOf(kind: 'user' | 'apiKey', ids: ReadonlySet<number | string> | null): boolean {
      if (caller === null || (kind === 'user') !== (caller.id !== null)) return false
      return ids === null || caller.id === null || ids.has(caller.id)
    },
    stop: () => close('stopping'),
  }

  function ping(): void {
    missedPongs += 1
    if (missedPongs > MAX_MISSED_PONGS) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.ping()
  }

  function close(reason: keyof typeof CLOSE): void {
    const [code, message] = CLOSE[reason]
    socket.close(code, message)
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref()
  }

  function onSent(): void {
    if (droppedBytes === 0 || socket.bufferedAmount > 0) return
    droppedBytes = 0
    reply({ type: 'resync' })
  }

  const reply = (message: ServerMessage) => connection.send(Buffer.from(JSON.stringify(message)))

  function onMessage(data: { toString(): string }, isBinary: boolean): void {
    if (socket.readyState !== socket.OPEN) return
    const time = performance.now()
    if (time - windowStart >= 1000) [windowStart, windowMessages] = [time, 0]
    windowMessages += 1
    if (windowMessages > MAX_MESSAGES_PER_SECOND + 1) return
    const handled =
      windowMessages > MAX_MESSAGES_PER_SECOND ? refuseFlood : () => handle(isBinary ? '' : data.toString())
    // One after another: a subscription may need the authentication before it.
    lastMessage = lastMessage.then(handled).catch(refuse)
  }

  function refuseFlood(): void {
    refuse(new AppError(429, 'RATE_LIMITED', `At most ${MAX_MESSAGES_PER_SECOND} messages a second`))
    close('tooManyMessages')
  }

  async function handle(text: string): Promise<void> {
    if (socket.readyState !== socket.OPEN) return
    const message = parse(text)
    if (message.type === 'authenticate') await authenticate(message.token)
    else if (message.type === 'subscribe') subscribe(message.topics)
    else unsubscribe(message.topics)
    reply({ type: 'subscribed', topics: [...events.topicsOf(connection)] })
  }

  function refuse(error: unknown): void {
    const { code, message, status } = toAppError(error)
    if (status >= 500) request.log.warn({ err: error }, 'message of a live connection failed')
    reply({ type: 'error', code, message })
  }

  function subscribe(wanted: string[]): void {
    for (const topic of wanted) checkTopic(topic, caller)
    const topics = events.topicsOf(connection).union(new Set(wanted))
    if (topics.size > MAX_TOPICS)
      throw new AppError(409, 'TOO_MANY_TOPICS', `A connection may have ${MAX_TOPICS} topics`)
    events.setTopics(connection, topics)
  }

  function unsubscribe(unwanted: string[]): void {
    events.setTopics(connection, events.topicsOf(connection).difference(new Set(unwanted)))
  }

  /** Changes the caller, unless the new one may not have the current topics. */
  async function authenticate(newToken: string): Promise<void> {
    const identity = await app.identifyToken(newToken)
    if (identity === null) throw unauthorized()
    if (identity.needsTotp) throw totpSetupRequired()
    if (socket.readyState !== socket.OPEN) return
    for (const topic of events.topicsOf(connection)) checkTopic(topic, identity.caller)
    token = newToken
    caller = identity.caller
    clearTimeout(expiry)
    if (identity.expiresAt) closeAt(identity.expiresAt)
    // A revocation since then did not find this connection, whose caller was not known yet.
    await connection.recheck()
  }

  function closeAt(time: Date): void {
    const left = time.getTime() - now().getTime()
    if (left <= 0) close('tokenInvalid')
    // The clock may be set forward meanwhile.
    else expiry = setTimeout(closeAt, Math.min(left, PING_INTERVAL_MS), time)
  }

  const pings = setInterval(ping, PING_INTERVAL_MS)
  socket.on('message', onMessage)
  socket.on('pong', () => {
    missedPongs = 0
  })
  socket.on('close', () => {
    clearInterval(pings)
    clearTimeout(expiry)
    events.remove(connection)
  })
  events.add(connection)
  return connection
}

function parse(text: string): ClientMessage {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    // Fails the check, too.
  }
  if (clientMessage.Check(message)) return message
  throw invalidMessage('must be JSON text of the type subscribe, unsubscribe or authenticate')
}

function invalidMessage(message: string): AppError {
  return new AppError(400, 'VALIDATION_FAILED', `A message ${message}`)
}

/** @throws AppError 400 for an unknown topic; 401; 403 */
function checkTopic(topic: string, caller: Caller | null): void {
  const access = accessOf(topic)
  if (access === undefined) throw invalidMessage(`names a topic that does not exist: ${topic}`)
  if (!mayCall(access, caller?.role ?? null)) throw caller === null ? unauthorized() : forbidden()
  if (topic === 'my-orders' && caller?.id == null)
    throw forbidden('This needs the token of a user; an API key has no account')
}

function accessOf(topic: string): Access | undefined {
  if (productOfTopic(topic) !== null) return TOPICS['product:{id}'].access
  const rules: { [name: string]: { access: Access } } = TOPICS
  return Object.hasOwn(TOPICS, topic) && !topic.includes('{') ? rules[topic]?.access : undefined
}
