import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { Change } from './changes/changes.ts'
import type { ChangeKind } from './changes/kinds.ts'

/** One connection of a client. */
type Subscriber = {
  /** Null without a user's token. */
  readonly userId: number | null
  /** Sends a serialized message, unless the client reads too slowly. Must not throw. */
  send(message: Buffer): void
  /** Closes the connection if its token is no longer valid. Must not reject. */
  recheck(): Promise<void>
}

/** Messages sent without a pause, which takes a millisecond: requests wait no longer. */
const SLICE_SIZE = 100

const RESYNC = Buffer.from(JSON.stringify({ type: 'resync' }))

/** The subscriptions of the clients of this instance (docs/events.md). */
export function createEventHub() {
  const open = new Map<Subscriber, ReadonlySet<string>>()
  const byTopic = new Map<string, Set<Subscriber>>()
  const none: ReadonlySet<string> = new Set()
  let lastSend = Promise.resolve()
  let lastRecheck = Promise.resolve()

  /** Replaces the topics of an open connection. */
  function setTopics(subscriber: Subscriber, topics: ReadonlySet<string>): void {
    for (const topic of topicsOf(subscriber)) {
      const subscribers = byTopic.get(topic)
      subscribers?.delete(subscriber)
      if (subscribers?.size === 0) byTopic.delete(topic)
    }
    for (const topic of topics) {
      const subscribers = byTopic.get(topic)
      if (subscribers) subscribers.add(subscriber)
      else byTopic.set(topic, new Set([subscriber]))
    }
    open.set(subscriber, topics)
  }

  const topicsOf = (subscriber: Subscriber) => open.get(subscriber) ?? none

  /** @param receivers called when the message is sent: whoever has subscribed by then gets it too */
  function send(message: Buffer, receivers: () => Iterable<Subscriber>): void {
    lastSend = lastSend.then(async () => {
      let sent = 0
      for (const subscriber of [...receivers()]) {
        subscriber.send(message)
        sent += 1
        if (sent % SLICE_SIZE === 0) await nextTurn()
      }
    })
  }

  return {
    /** Open connections. */
    get size() {
      return open.size
    },
    add: (subscriber: Subscriber) => void open.set(subscriber, none),
    remove(subscriber: Subscriber): void {
      setTopics(subscriber, none)
      open.delete(subscriber)
    },
    topicsOf,
    setTopics,
    /** All topics with a subscriber. */
    topics: () => byTopic.keys(),
    /** Sends a message to all who subscribe to the topic, or to one user alone. Messages keep their order. */
    publish(topic: string, message: object, userId?: number): void {
      if (!byTopic.has(topic)) return
      const isReceiver = (subscriber: Subscriber) => userId === undefined || subscriber.userId === userId
      send(Buffer.from(JSON.stringify(message)), () => [...(byTopic.get(topic) ?? [])].filter(isReceiver))
    },
    /** Lets the subscribers of the topics know that they may have missed messages. */
    resync(topics: Iterable<string>): void {
      send(RESYNC, () => new Set([...topics].flatMap((topic) => [...(byTopic.get(topic) ?? [])])))
    },
    /** The same for all connections, and checks their tokens: revocations may have been missed, too. */
    resyncAll(): void {
      send(RESYNC, () => open.keys())
      // One after the other: a thousand connections must not take all of the database's.
      lastRecheck = lastRecheck.then(async () => {
        for (const subscriber of [...open.keys()]) await subscriber.recheck()
      })
    },
  }
}

/** Changed ids by kind; null: any. */
export type Batch = ReadonlyMap<ChangeKind, Change['ids']>

/**
 * Batches changes: the first ones are handled at once, those that follow together after the interval, one batch at a time.
 * @param handle must not reject
 * @returns a function that adds changes
 */
export function createBatches(intervalMs: number, handle: (batch: Batch) => Promise<void>) {
  let batch = new Map<ChangeKind, Change['ids']>()
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (batch.size > 0) {
      const due = batch
      batch = new Map()
      await Promise.all([handle(due), delay(intervalMs, undefined, { ref: false })])
    }
    isRunning = false
  }

  return (changes: Change[]): void => {
    for (const { kind, ids } of changes) {
      const known = batch.get(kind)
      batch.set(kind, known === undefined ? ids : known && ids && known.union(ids))
    }
    if (!isRunning) void run()
  }
}
