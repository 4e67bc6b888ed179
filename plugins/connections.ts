import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { errorBody, parserRefusal } from './errors.ts'

/** Of the requests that a connection has sent without waiting, so many are worked on at a time. */
const AT_ONCE = 16
/** Nobody who reads answers sends more than that ahead: such a connection is closed. */
const MAX_UNANSWERED = 256
/** So long may bytes wait for a client that doesn't take them. */
export const UNREAD_MS = 60_000

/** How long the door stays open after the word to stop, for those who have yet to hear of it. */
const MOMENT_MS = 1000
/** The door is shut when nobody has come for so long, and after MAX_HOLD_MS anyway. */
const CALM_MS = 60
const MAX_HOLD_MS = 500
/** A stop takes a connection that is silent for so long for one that says nothing… */
const QUIET_MS = 500
/** …and one that stops in the middle of a request, or takes nothing of its answer, for one that is gone. */
const HALF_DONE_MS = 2000
/** Less than server.ts gives the whole stop. */
const LAST_PATIENCE_MS = 6500
const LOOK_MS = 25

declare module 'fastify' {
  interface FastifyInstance {
    connections: {
      /** A stop has begun: readiness says so, and answers ask their clients to connect elsewhere. */
      readonly draining: boolean
      /** Begins a stop; resolves after the moment in which clients and load balancers hear of it. */
      drain(): Promise<void>
    }
  }
}

type Connection = {
  /** Requests whose answers have not been handed to the system. */
  unanswered: number
  /** Those among them that no handler has seen yet. */
  waiting: (() => void)[]
  newest: FastifyReply | undefined
  /** What the parser stumbled over, to be said after the answers that are still due. */
  broken: Error | undefined
  /** During a stop: bytes that came and went, and since when there were no more. */
  moved: number
  since: number
}

/**
 * What a connection may do, and how all of them end (contract section 11). Node reads requests without a bound, keeps
 * the answers that nobody reads, and would cut requests off at the end.
 */
export const connectionsPlugin = fp(
  async (app) => {
    const open = new Map<Socket, Connection>()
    const door = createDoor(app)
    let draining = false

    app.decorate('connections', {
      get draining() {
        return draining
      },
      async drain() {
        draining = true
        for (const { unanswered, newest } of open.values()) if (unanswered > 0) askToLeave(newest)
        const looks = setInterval(() => look(open), LOOK_MS)
        look(open)
        await delay(MOMENT_MS)
        clearInterval(looks)
      },
    })

    app.server.on('connection', (socket: Socket) => {
      door.heard()
      open.set(socket, {
        unanswered: 0,
        waiting: [],
        newest: undefined,
        broken: undefined,
        moved: -1,
        since: 0,
      })
      socket.once('close', () => open.delete(socket))
    })
    // A handler may take its time; who takes nothing of an answer, or asks nothing, may not.
    app.server.on('timeout', (socket: Socket) => {
      if (!open.get(socket)?.unanswered || socket.writableLength > 0) socket.destroy()
    })
    // To ignore what we don't know is allowed (RFC 9110, 10.1.1), and keeps Node from answering in its own way.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

    app.addHook('onRequest', (request, reply, done) => {
      const { socket } = request.raw
      const connection = open.get(socket)
      if (connection === undefined) return done()
      connection.unanswered += 1
      // The connection is needed until the last answer.
      if (draining && connection.unanswered > 1) connection.newest?.removeHeader('connection')
      if (draining) askToLeave(reply)
      connection.newest = reply
      if (connection.unanswered > MAX_UNANSWERED) {
        request.log.warn({ address: request.ip }, 'closed a connection that sends and does not read')
        socket.destroy()
      } else if (connection.unanswered - connection.waiting.length > AT_ONCE) connection.waiting.push(done)
      else door.enter(done)
    })
    app.addHook('onResponse', (request, _reply, done) => {
      const { socket } = request.raw
      const connection = open.get(socket)
      if (connection !== undefined) {
        connection.unanswered -= 1
        if (connection.unanswered === 0) connection.newest = undefined
        connection.waiting.shift()?.()
        if (connection.broken) complain(socket, connection, connection.broken)
      }
      done()
    })
    app.server.on('clientError', (error: Error, socket: Socket) => {
      const connection = open.get(socket)
      if (connection === undefined || connection.broken) return
      connection.broken = error
      complain(socket, connection, error)
    })

    app.addHook('preClose', async () => {
      if (draining) await door.calm()
      door.shut()
      await closeAll(app, open, draining ? QUIET_MS : 2 * LOOK_MS)
    })
  },
  { name: 'connections' },
)

/**
 * Who has connected and was not yet let in when the server stops listening is reset by the system. So the last requests
 * are held for an instant: those who come again and again then wait for their answers, and nobody is at the door.
 */
function createDoor({ server }: FastifyInstance) {
  let held: (() => void)[] | null = null
  let lastHeard = 0
  return {
    heard() {
      lastHeard = performance.now()
    },
    enter(go: () => void) {
      if (held === null) go()
      else held.push(go)
    },
    async calm() {
      held = []
      lastHeard = performance.now()
      const giveUp = lastHeard + MAX_HOLD_MS
      while (performance.now() < Math.min(giveUp, lastHeard + CALM_MS)) await delay(CALM_MS / 4)
      // Right after the sockets were read.
      await nextTurn()
    },
    shut() {
      // Node's own close() for HTTP resets at once what seems to be idle.
      if (server.listening) Server.prototype.close.call(server)
      for (const go of held ?? []) go()
      held = null
    },
  }
}

/** Lets this answer be the connection's last; one that is under way already is not. */
function askToLeave(reply: FastifyReply | undefined): void {
  if (reply && !reply.sent) reply.header('connection', 'close')
}

/** Answers what the parser refused, once nothing else is due on the connection, and closes it. */
function complain(socket: Socket, { unanswered, newest }: Connection, error: Error): void {
  const isHalf = newest?.request.raw.complete === false
  if (unanswered > (isHalf ? 1 : 0)) return
  if (!socket.writable) return void socket.destroy()
  const refusal = parserRefusal(error)
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody(refusal, requestId))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Notes which connections have moved since the last look. */
function look(open: Map<Socket, Connection>): void {
  const now = performance.now()
  for (const [socket, connection] of open) {
    const moved = socket.bytesRead + socket.bytesWritten - socket.writableLength
    if (moved === connection.moved) continue
    connection.moved = moved
    connection.since = now
  }
}

/** Closes each connection as soon as nothing on it can be cut off. */
async function closeAll(app: FastifyInstance, open: Map<Socket, Connection>, quietMs: number): Promise<void> {
  const giveUp = performance.now() + LAST_PATIENCE_MS
  while (open.size > 0) {
    await delay(LOOK_MS)
    // Right after the sockets were read: what has arrived by now is known.
    await nextTurn()
    look(open)
    const now = performance.now()
    for (const [socket, connection] of open) {
      if (now - connection.since >= patienceWith(socket, connection, quietMs)) socket.destroy()
    }
    if (now > giveUp) {
      app.log.warn({ connections: open.size }, 'requests took too long for a stop: they were cut off')
      for (const socket of open.keys()) socket.destroy()
    }
  }
}

function patienceWith(socket: Socket, { unanswered, newest }: Connection, quietMs: number): number {
  if (unanswered === 0) return quietMs
  const isStuck = newest?.request.raw.complete === false || socket.writableLength > 0
  return isStuck ? HALF_DONE_MS : Number.POSITIVE_INFINITY
}
