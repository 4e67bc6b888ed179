import type { IncomingHttpHeaders } from 'node:http'

/** One request as the demo supplier saw it; times in epoch milliseconds with fractions, from a steady clock. */
export interface RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly startedAt: number
  /** Null until the answer is out or the connection is closed. */
  finishedAt: number | null
  /** Null when nothing was answered. */
  status: number | null
}

const KEPT = 1000

/** The latest requests, for tests that check pacing, headers and counts. */
export class RequestLog {
  /** All requests since the start or the last `clear`. */
  total = 0
  #recent: RecordedRequest[] = []

  /** At least the last thousand, oldest first. */
  get recent(): readonly RecordedRequest[] {
    return this.#recent
  }

  /** Those of `recent` whose path and query contain the text. */
  matching(text: string): RecordedRequest[] {
    return this.#recent.filter((request) => request.path.includes(text))
  }

  clear(): void {
    this.total = 0
    this.#recent = []
  }

  /** Returns the record, to be completed when the request ends. */
  add(method: string, path: string, headers: IncomingHttpHeaders): RecordedRequest {
    const request = { method, path, headers, startedAt: steadyNow(), finishedAt: null, status: null }
    this.total += 1
    this.#recent.push(request)
    // Trimmed in batches: shifting the array at every request would cost more than the request.
    if (this.#recent.length >= KEPT * 2) this.#recent = this.#recent.slice(-KEPT)
    return request
  }
}

/** Epoch milliseconds that never jump. */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}
