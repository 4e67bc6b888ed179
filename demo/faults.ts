/** The fault of one request. */
type FaultKind = 'none' | 'hang' | 'fail' | 'malformed' | 'replace' | 'cut'

/** The first that isn't at 0 is due. */
const COUNTDOWNS = [
  ['hang', 'hangNext'],
  ['fail', 'failNext'],
  ['malformed', 'malformedNext'],
  ['replace', 'replaceNext'],
  ['cut', 'cutNext'],
] as const

/** The switchable fields of `Faults`. */
type FaultSettings = Omit<Faults, 'set' | 'reset' | 'settings' | 'next' | 'takeLostAnswer'>

/**
 * Faults of the demo supplier, set by assigning fields: `faults.failNext = 3`. Without `path` they affect the API only;
 * with it every request whose path and query contain that text (`page=3`, `/img/`, `CreateOrder`).
 */
export class Faults {
  /** Limits faults to requests whose path and query contain this text. */
  path: string | null = null
  /** Delay of every response. */
  latencyMs = 0
  /** Every nth request gets `status`; 0: off. */
  failEvery = 0
  /** The next n requests get `status`. */
  failNext = 0
  status = 500
  /** Retry-After of a `status` response, in seconds. */
  retryAfter: number | null = null
  /** Every nth response breaks off half-way; 0: off. */
  cutEvery = 0
  /** The next n responses break off half-way. */
  cutNext = 0
  /** The next n requests get a 200 with an HTML error page. */
  malformedNext = 0
  /** The next n requests get a 200 with `replaceBody` as JSON. */
  replaceNext = 0
  replaceBody: unknown = { error: 'temporarily unavailable' }
  /** `nextPage` of ListProducts is always the requested page. */
  stuckNextPage = false
  /** The next n requests get no response. */
  hangNext = 0
  /** The next n orders are created, but the connection closes without a response. */
  loseAnswerNext = 0

  #matched = 0

  set(settings: Partial<FaultSettings>): void {
    Object.assign(this, settings)
  }

  /** Clears all faults and restarts the counts of `failEvery` and `cutEvery`. */
  reset(): void {
    this.#matched = 0
    this.set(new Faults().settings())
  }

  settings(): FaultSettings {
    return { ...this }
  }

  /** Takes the fault that is due for this request. */
  next(url: string, isApi: boolean): { kind: FaultKind; latencyMs: number } {
    if (this.path === null ? !isApi : !url.includes(this.path)) return { kind: 'none', latencyMs: 0 }
    this.#matched += 1
    return { kind: this.#nextKind(), latencyMs: this.latencyMs }
  }

  /** Whether to drop the response to the order just created. */
  takeLostAnswer(): boolean {
    return this.#countDown('loseAnswerNext')
  }

  #countDown(field: (typeof COUNTDOWNS)[number][1] | 'loseAnswerNext'): boolean {
    if (this[field] <= 0) return false
    this[field] -= 1
    return true
  }

  #nextKind(): FaultKind {
    for (const [kind, field] of COUNTDOWNS) if (this.#countDown(field)) return kind
    if (this.failEvery > 0 && this.#matched % this.failEvery === 0) return 'fail'
    if (this.cutEvery > 0 && this.#matched % this.cutEvery === 0) return 'cut'
    return 'none'
  }
}

/** Reads fault settings from a JSON body. @returns an error message when invalid */
export function readFaultSettings(body: unknown): Partial<FaultSettings> | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'an object is expected'
  const known: Record<string, unknown> = { ...new Faults().settings() }
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(known, name)) return `unknown fault: ${name}; there are ${Object.keys(known).join(', ')}`
    if (!isFaultValue(name, value, known[name])) return `wrong value of ${name}`
    read[name] = value
  }
  return read
}

function isFaultValue(name: string, value: unknown, fallback: unknown): boolean {
  if (name === 'replaceBody') return true
  if (name === 'path') return value === null || typeof value === 'string'
  if (name === 'retryAfter' && value === null) return true
  if (typeof fallback === 'boolean') return typeof value === 'boolean'
  if (name === 'status') return Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599
  return Number.isInteger(value) && Number(value) >= 0
}
