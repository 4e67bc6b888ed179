import { randomUUID } from 'node:crypto'

/**
 * What a transaction can say that it changed. `product`: anything that is shown of it or decides where it is listed;
 * `stock`: only what orders hold of it, so at most whether it is available; `demand`: how much of it was ordered of late.
 */
const KINDS = [
  'product',
  'stock',
  'demand',
  'category',
  'categoryFilter',
  'brand',
  'tag',
  'image',
  'setting',
  'feed',
  'sitemap',
  'order',
  'user',
  'contact',
  'licence',
  'review',
  'banner',
  'feature',
] as const
export type ChangeKind = (typeof KINDS)[number]

/** Settings go by their key, everything else by its id. */
export type ChangedId = number | string

export type Change = {
  kind: ChangeKind
  /** Null: too many to name, so any of them. */
  ids: ReadonlySet<ChangedId> | null
}

/**
 * Who wrote: this instance, as a piece of work of its own, or as a part of a run that sees at its end to what is made
 * of all that it wrote; or another instance.
 */
type Origin = 'here' | 'run' | 'elsewhere'

type Listener = (changes: Change[], from: Origin) => Promise<void> | void

export type Changes = {
  /** What hears of each committed change, this instance's own and those of the others. A listener must not throw. */
  subscribe(listener: Listener): void
  /** Tells this instance of its own commit; resolves when it shows in whatever this instance answers from then on. */
  announce(changes: Change[], from: 'here' | 'run'): Promise<void>
  /** The changes as they travel to the other instances. */
  encode(changes: Change[]): string
  /** What came over the channel; one's own words are left out, since they were acted on at the commit. */
  hear(payload: string): void
}

/** PostgreSQL takes payloads below 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7900

/** The one place where writers and those who keep something made of what was written meet: neither knows the other. */
export function createChanges(): Changes {
  const instance = randomUUID()
  const listeners: Listener[] = []
  return {
    subscribe: (listener) => void listeners.push(listener),
    async announce(changes, from) {
      await Promise.all(listeners.map((listen) => listen(changes, from)))
    },
    encode(changes) {
      const write = (named: boolean) =>
        JSON.stringify({
          from: instance,
          changes: changes.map(({ kind, ids }) => ({ kind, ids: named && ids ? [...ids] : null })),
        })
      const payload = write(true)
      return Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES ? payload : write(false)
    },
    hear(payload) {
      const { from, changes } = decode(payload)
      if (from !== instance) for (const listen of listeners) void listen(changes, 'elsewhere')
    },
  }
}

type Payload = { from?: unknown; changes?: { kind?: unknown; ids?: unknown }[] }

/** Kinds that this version does not know, of an instance that is newer, concern nothing that it keeps. */
function decode(payload: string): { from: unknown; changes: Change[] } {
  const { from, changes = [] } = parse(payload)
  return {
    from,
    changes: changes.flatMap(({ kind, ids }) => {
      const known = KINDS.find((one) => one === kind)
      return known ? [{ kind: known, ids: Array.isArray(ids) ? new Set<ChangedId>(ids) : null }] : []
    }),
  }
}

/** What can't be read may have been anything. */
function parse(payload: string): Payload {
  try {
    return JSON.parse(payload)
  } catch {
    return { changes: KINDS.map((kind) => ({ kind })) }
  }
}
