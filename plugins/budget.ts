import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { rateLimited } from '../src/errors.ts'
import { clientNetwork } from '../src/rules/accounts/client-address.ts'
import { isStaff } from '../src/rules/accounts/roles.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Charges the network of a caller who isn't staff. @throws AppError 429 */
    charge(request: FastifyRequest, bytes: number): void
    /** Charges for a refusal. @returns after how many milliseconds to send it */
    chargeRefusal(request: FastifyRequest, status: number): number
  }
}

/** What a network may spend at once after a pause: four of the largest public bodies. */
const BURST_BYTES = 256 * 1024
/** A refused request costs as much as a body of this size. */
const REFUSAL_BYTES = 4 * 1024
const REFUSALS = [400, 401, 403, 404, 413, 415, 429]
/** Delays refusals beyond the budget, whose senders would otherwise repeat them at once. */
const REFUSAL_DELAY_MS = 1000
const MAX_NETWORKS = 10_000

/**
 * Limits how much time of the event loop, which all clients share, the requests of one network may take. Requests without
 * a body are free, unless their route has a cost.
 */
export const budgetPlugin = fp<{ kbPerSecond: number }>(
  async (app, { kbPerSecond }) => {
    const budget = createBudget(kbPerSecond * 1024)

    app.decorate('charge', (request: FastifyRequest, bytes: number) => {
      if (isStaff(request.caller) || budget.take(request.ip, bytes)) return
      // The refusal costs too.
      throw rateLimited(budget.msUntil(request.ip, bytes + REFUSAL_BYTES))
    })
    app.decorate('chargeRefusal', (request: FastifyRequest, status: number) => {
      const isCharged = REFUSALS.includes(status) && (status === 429 || hasBody(request))
      return !isCharged || isStaff(request.caller) || budget.take(request.ip, REFUSAL_BYTES)
        ? 0
        : REFUSAL_DELAY_MS
    })
  },
  { name: 'budget', dependencies: ['auth'] },
)

/**
 * An onRequest hook that charges for a request.
 * @param bytes of a JSON body that takes as long to parse
 */
export function costs(bytes: number): onRequestHookHandler {
  return (request, _reply, done) => {
    request.server.charge(request, bytes)
    done()
  }
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** A token bucket of bytes per network. @param perSecond 0: no limit */
function createBudget(perSecond: number) {
  const buckets = new LRUCache<string, { bytes: number; at: number }>({ max: MAX_NETWORKS })

  function bucketOf(address: string) {
    const network = clientNetwork(address)
    const now = performance.now()
    const { bytes, at } = buckets.get(network) ?? { bytes: BURST_BYTES, at: now }
    const bucket = { bytes: Math.min(BURST_BYTES, bytes + ((now - at) / 1000) * perSecond), at: now }
    buckets.set(network, bucket)
    return bucket
  }

  return {
    /** Whether the network had that many bytes left; if so, they are spent. */
    take(address: string, bytes: number): boolean {
      if (perSecond === 0) return true
      const bucket = bucketOf(address)
      if (bucket.bytes < bytes) return false
      bucket.bytes -= bytes
      return true
    },
    msUntil(address: string, bytes: number): number {
      return ((bytes - bucketOf(address).bytes) / perSecond) * 1000
    },
  }
}
