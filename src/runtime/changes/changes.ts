import { randomUUID } from 'node:crypto'

/**
 * The kinds of change that a transaction can record. `product`: anything that is shown of it or decides where it is
 * listed; `stock`: only the quantity that orders reserve; `demand`: only how much was ordered lately. From `orderCreated`
 * to `apiKey` they serve live events (contract section 12). `webhookQueue`: a webhook has something to deliver.
 */
export type ChangeKind =
  | 'product'
  | 'stock'
  | 'demand'
  | 'category'
  | 'categoryFilter'
  | 'brand'
  | 'attribute'
  | 'tag'
  | 'image'
  | 'setting'
  | 'feed'
  | 'google-merchant'
  | 'sitemap'
  | 'orderCreated'
  | 'order'
  | 'contactCreated'
  | 'contact'
  | 'syncRun'
  | 'pipelineRun'
  | 'scrapeQueue'
  | 'user'
  | 'apiKey'
  | 'review'
  | 'banner'
  | 'feature'
  | 'webhookQueue'

/** The key of a setting, the id of anything else. */
export type ChangedId = number | string

export type Change = {
  kind: ChangeKind
  /** Null: any of them, because there were too many ids for one message. */
  ids: ReadonlySet<ChangedId> | null
}

/**
 * The writer: this instance; this instance as part of a run, which rebuilds publications at its end; or another instance.
 */
type Origin = 'here' | 'run' | 'elsewhere'

type Listener = (changes: Change[], from: Origin) => Promise<void> | void

export type Changes = ReturnType<typeof createChanges>

/** `from`: the instance that made the changes. */
type Message = { from: string; changes: { kind: ChangeKind; ids: ChangedId[] | null }[] }

/** PostgreSQL's limit is 8000 bytes. */
const fits = (payload: string) => Buffer.byteLength(payload) <= 7900
/** Numbers of which a message holds at least as many. */
const MAX_MESSAGE_IDS = 500
/** Beyond that, reading everything again takes no longer. */
const MAX_IDS = 20_000

/** Decouples writers from the caches and jobs that depend on what they write. */
export function createChanges() {
  const instance = randomUUID()
  const listeners: Listener[] = []
  function toPayload(changes: Change[]): string {
    const message: Message = {
      from: instance,
      changes: changes.map(({ kind, ids }) => ({ kind, ids: ids && [...ids] })),
    }
    return JSON.stringify(message)
  }
  return {
    /** Adds a listener for the committed changes of all instances. It must not throw. */
    subscribe: (listener: Listener): void => void listeners.push(listener),
    /** Calls the listeners after a commit of this instance; resolves when all of them have finished. */
    async publish(changes: Change[], from: 'here' | 'run'): Promise<void> {
      await Promise.all(listeners.map((listener) => listener(changes, from)))
    },
    /** Serializes changes for the other instances: one message, or several if there are many ids. */
    encode(changes: Change[]): string[] {
      const whole = toPayload(changes)
      if (fits(whole)) return [whole]
      return changes.flatMap(split).map((part) => {
        const payload = toPayload([part])
        return fits(payload) ? payload : toPayload([{ ...part, ids: null }])
      })
    },
    /**
     * Calls the listeners with a message of another instance; this instance's own messages are ignored. A newer version may
     * send kinds that no listener knows.
     * @throws Error if it isn't a message
     */
    receive(payload: string): void {
      const { from, changes }: Message = JSON.parse(payload)
      if (from === instance) return
      const received = changes.map(({ kind, ids }) => ({ kind, ids: ids && new Set(ids) }))
      for (const listener of listeners) void listener(received, 'elsewhere')
    },
  }
}

/** Splits a change into parts that fit into a message each. */
function split({ kind, ids }: Change): Change[] {
  if (ids === null || ids.size > MAX_IDS) return [{ kind, ids: null }]
  const all = [...ids]
  const parts: Change[] = []
  for (let at = 0; at < all.length; at += MAX_MESSAGE_IDS)
    parts.push({ kind, ids: new Set(all.slice(at, at + MAX_MESSAGE_IDS)) })
  return parts
}
