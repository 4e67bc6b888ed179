import type { IncomingHttpHeaders } from 'node:http'

/** A request; times are fractional epoch milliseconds of a monotonic clock. */
interface RecordedRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly startedAt: number
  /** Null until the response is sent or the connection is closed. */
  finishedAt: number | null
  /** Null without a response. */
  status: number | null
}

const MAX_RECENT = 1000

/** The latest requests, for tests that check pacing, headers and counts. */
export class RequestLog {
  /** All requests since the start or the last `clear`. */
  total = 0
  #recent: RecordedRequest[] = []

  /** At least the last 1000 requests, oldest first. */
  get recent(): readonly RecordedRequest[] {
    return this.#recent
  }

  /** Recent requests whose path and query contain the text. */
  matching(text: string): RecordedRequest[] {
    return this.#recent.filter((request) => request.path.includes(text))
  }

  clear(): void {
    this.total = 0
    this.#recent = []
  }

  /** Adds a record, to be completed when the request ends. */
  add(method: string, path: string, headers: IncomingHttpHeaders): RecordedRequest {
    const request = { method, path, headers, startedAt: monotonicNow(), finishedAt: null, status: null }
    this.total += 1
    this.#recent.push(request)
    // Trimmed in batches, since shifting the array at every request is slow.
    if (this.#recent.length >= MAX_RECENT * 2) this.#recent = this.#recent.slice(-MAX_RECENT)
    return request
  }
}

/** Epoch milliseconds of a monotonic clock. */
export function monotonicNow(): number {
  return performance.timeOrigin + performance.now()
}
