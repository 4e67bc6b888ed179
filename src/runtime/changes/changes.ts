import { randomUUID } from 'node:crypto'
import { type ChangeKind, isChangeKind } from './kinds.ts'

/** The key of a setting, the id of anything else. */
export type ChangedId = number | string

export type Change = {
  kind: ChangeKind
  /** Null: any of them, because there were too many ids for one message. */
  ids: ReadonlySet<ChangedId> | null
}

/** The writer: this instance, or another one. */
type Origin = 'here' | 'elsewhere'

type Listener = (changes: Change[], from: Origin) => Promise<void> | void

export type Changes = ReturnType<typeof createChanges>

/** `from`: the instance that made the changes. A newer version may send kinds that this one doesn't know. */
type Message = { from: string; changes: { kind: string; ids: ChangedId[] | null }[] }

/** PostgreSQL's limit is 8000 bytes. */
const fits = (payload: string) => Buffer.byteLength(payload) <= 7900

/** Decouples writers from the caches and jobs that depend on what they write. */
export function createChanges() {
  const instance = randomUUID()
  const listeners: Listener[] = []
  function toPayload(made: Change[]): string {
    const changes = made.map(({ kind, ids }) => ({ kind, ids: ids && [...ids] }))
    return JSON.stringify({ from: instance, changes } satisfies Message)
  }

  return {
    /** Adds a listener for the committed changes of all instances. It must not throw. */
    subscribe: (listener: Listener): void => void listeners.push(listener),
    /** Calls the listeners after a commit of this instance; resolves when all of them have finished. */
    async publish(changes: Change[]): Promise<void> {
      await Promise.all(listeners.map((listener) => listener(changes, 'here')))
    },
    /** Serializes changes for the other instances: in one message, or in one each, in which too many ids become any. */
    encode(changes: Change[]): string[] {
      const whole = toPayload(changes)
      if (fits(whole)) return [whole]
      return changes.map((change) => {
        const payload = toPayload([change])
        return fits(payload) ? payload : toPayload([{ ...change, ids: null }])
      })
    },
    /**
     * Calls the listeners with a message of another instance; this instance's own messages are ignored, and so are unknown
     * kinds.
     * @throws Error if it isn't a message
     */
    receive(payload: string): void {
      const { from, changes }: Message = JSON.parse(payload)
      if (from === instance) return
      const received = changes.flatMap(({ kind, ids }) =>
        isChangeKind(kind) ? { kind, ids: ids && new Set(ids) } : [],
      )
      for (const listener of listeners) void listener(received, 'elsewhere')
    },
  }
}
