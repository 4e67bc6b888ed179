import { AsyncLocalStorage } from 'node:async_hooks'

/** The context in which a request's work runs, on which log lines and outgoing requests draw. */
export type RequestContext = {
  /** Of its log lines. `traceId`: of a request that is part of a distributed trace. */
  fields: { reqId: string; traceId?: string }
  /** The header as received, for outgoing requests. */
  traceparent?: string
  /** Charges the client for work. @throws AppError 429 */
  charge?: (bytes: number) => void
}

const current = new AsyncLocalStorage<RequestContext>()

/**
 * Runs the work of a request. Services log through `deps.log` and don't know the request; passing its id along would add a
 * parameter to each of them.
 */
export function runInContext(context: RequestContext, work: () => void): void {
  current.run(context, work)
}

/** Runs what happens during a request but isn't caused by it. */
export function runOutsideContext(work: () => void): void {
  current.exit(work)
}

/** Keeps the context of the caller, for work that a queue starts in the context of another request. */
export function inContext<T>(work: () => T): () => T {
  return AsyncLocalStorage.bind(work)
}

/** The fields for a log line: a new object each time, because the logger adds others to it. */
export function contextFields(): Partial<RequestContext['fields']> {
  return { ...current.getStore()?.fields }
}

/**
 * Charges the client that asked for costly work; the shop's own work is free.
 * @param bytes of a JSON body that takes as long to parse
 * @throws AppError 429
 */
export function chargeClient(bytes: number): void {
  current.getStore()?.charge?.(bytes)
}

export function currentTraceparent(): string | undefined {
  return current.getStore()?.traceparent
}
