import { AsyncLocalStorage } from 'node:async_hooks'

/** What the work of a request draws on without knowing the request. */
type RequestContext = {
  /** Of its log lines. `traceId`: of a request that is part of a distributed trace. */
  fields: { reqId: string; traceId?: string }
  /** The header as received, for outgoing requests. */
  traceparent?: string
}

/** The context of the request that causes the current work; undefined for the shop's own. */
export const requestContext = new AsyncLocalStorage<RequestContext>()

/** Keeps the context of the caller, for work that a queue starts in the context of another request. */
export function inContext<T>(work: () => T): () => T {
  return AsyncLocalStorage.bind(work)
}
