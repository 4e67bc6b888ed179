import { isUtf8 } from 'node:buffer'
import rateLimit, { type FastifyRateLimitStore, type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { addToCounters } from '../db/queries/accounts/rate-limits.ts'
import { invalid, rateLimited } from '../src/errors.ts'
import { clientNetwork } from '../src/rules/accounts/client-address.ts'
import { isStaff } from '../src/rules/accounts/roles.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Charges the network of a caller who isn't staff.
     * @param bytes of a JSON body that takes as long to parse; default: those of a costly request
     * @throws AppError 429
     */
    charge(request: FastifyRequest, bytes?: number): void
    /** Charges for a refusal. @returns after how many milliseconds to send it */
    chargeRefusal(request: FastifyRequest, status: number): number
  }
}

const KB = 1024
const MAX_PUBLIC_BYTES = 64 * KB
const MAX_STAFF_BYTES = 1024 * KB

/** What a network may spend at once after a pause: four of the largest public bodies. */
const BURST_BYTES = 4 * MAX_PUBLIC_BYTES
/** A refused or costly request costs as much as a body of this size. */
const COSTLY_BYTES = 4 * KB
/** Delays refusals beyond the budget, whose senders would otherwise repeat them at once. */
const REFUSAL_DELAY_MS = 1000
const MAX_NETWORKS = 10_000

/**
 * Limits the bodies of requests (contract section 1), the number of requests to some routes (section 3), and how much time
 * of the event loop, which all clients share, the requests of one network may take. Requests without a body are free,
 * unless their route is costly.
 * @param kbPerSecond 0: no limit
 */
export const limitsPlugin = fp<{ kbPerSecond: number }>(
  async (app, { kbPerSecond }) => {
    const bytesPerMs = (kbPerSecond * KB) / 1000
    const budgets = new LRUCache<string, { bytes: number; at: number }>({ max: MAX_NETWORKS })

    /** Spends a caller's budget. @returns 0, or the milliseconds until there is enough of it */
    function spend({ caller, ip }: FastifyRequest, cost: number): number {
      if (kbPerSecond === 0 || isStaff(caller)) return 0
      const network = clientNetwork(ip)
      const now = performance.now()
      const { bytes, at } = budgets.get(network) ?? { bytes: BURST_BYTES, at: now }
      const available = Math.min(BURST_BYTES, bytes + (now - at) * bytesPerMs)
      const isEnough = available >= cost
      budgets.set(network, { bytes: isEnough ? available - cost : available, at: now })
      // The refusal costs too.
      return isEnough ? 0 : (cost + COSTLY_BYTES - available) / bytesPerMs
    }
    app.decorate('charge', (request: FastifyRequest, bytes = COSTLY_BYTES) => {
      const waitMs = spend(request, bytes)
      if (waitMs > 0) throw rateLimited(waitMs)
    })
    app.decorate('chargeRefusal', (request: FastifyRequest, status: number) => {
      const isCharged = status === 429 || (status < 500 && hasBody(request))
      return isCharged && spend(request, COSTLY_BYTES) > 0 ? REFUSAL_DELAY_MS : 0
    })

    app.addHook('onRoute', (route) => {
      const { access = 'public' } = route.config ?? {}
      const isOpen = access === 'public' || access === 'user'
      route.bodyLimit ??= isOpen ? MAX_PUBLIC_BYTES : MAX_STAFF_BYTES
    })
    // Removes `__proto__`: unknown members are ignored.
    const parse = app.getDefaultJsonParser('remove', 'remove')
    app.removeContentTypeParser(['application/json', 'text/plain'])
    app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
      // Some clients send `content-type: application/json` with every POST.
      if (body.length === 0) return done(null, undefined)
      app.charge(request, body.length)
      // Decoding replaces invalid bytes, compressed ones too: a name would be stored as question marks.
      if (!isUtf8(body)) return done(invalid({ path: 'body', code: 'NOT_JSON' }))
      // Spreadsheets and editors write a byte order mark.
      return parse(request, body.toString().replace(/^\uFEFF/, ''), done)
    })

    class DatabaseStore implements FastifyRateLimitStore {
      incr(...[key, done, windowMs]: Parameters<FastifyRateLimitStore['incr']>): void {
        addToCounters(app.deps.db, [key], windowMs).then(
          ([counter]) => done(null, { current: counter?.count ?? 1, ttl: counter?.msLeft ?? windowMs }),
          (error: Error) => done(error),
        )
      }
      child(): FastifyRateLimitStore {
        return this
      }
    }
    await app.register(rateLimit, {
      global: false,
      store: DatabaseStore,
      errorResponseBuilder: (_request, { ttl }) => rateLimited(ttl),
    })
  },
  { name: 'limits', dependencies: ['auth', 'errors'] },
)

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
}

/** An onRequest hook of routes that cost much although their requests are small. */
export const chargeCostly: onRequestHookHandler = (request, _reply, done) => {
  request.server.charge(request)
  done()
}

/**
 * Returns a `config.rateLimit`: requests per client address and window, rejected ones included, counted in the database for
 * all instances.
 * @param name of the counter; routes with the same name share it
 * @param max 0 disables the limit
 */
export function perAddress(name: string, max: number, windowMs: number): RateLimitOptions | false {
  if (max === 0) return false
  return { max, timeWindow: windowMs, keyGenerator: ({ ip }) => `${name}:${clientNetwork(ip)}` }
}
