import { isUtf8 } from 'node:buffer'
import { setTimeout as delay } from 'node:timers/promises'
import rateLimit, { type FastifyRateLimitStore, type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { addToCounters } from '../db/queries/accounts/rate-limits.ts'
import { invalid, rateLimited } from '../src/errors.ts'
import { clientNetwork } from '../src/rules/accounts/client-address.ts'
import { isStaff } from '../src/rules/accounts/roles.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates the smaller limit, for requests that cost much: an onRequest hook, or called once the cost is known. */
    costlyLimit(): Limit
  }
}

/** Counts a request of a caller who isn't staff. @throws AppError 429, when the second is over */
type Limit = (request: FastifyRequest) => Promise<void>

const KB = 1024
const MAX_PUBLIC_BYTES = 64 * KB
const MAX_STAFF_BYTES = 1024 * KB
/** Parsing a larger body takes longer than ordinary requests do. */
const LARGE_BODY_BYTES = 8 * KB

/** Requests per client network and second; 0: no limit. */
type Options = { perSecond: number; costlyPerSecond: number }

/** Limits the bodies of requests and the number of requests (docs/http.md). */
export const limitsPlugin = fp<Options>(
  async (app, { perSecond, costlyPerSecond }) => {
    // In a scope of its own, since each registration has one store: here the plugin's, in memory, of 5000 networks.
    await app.register(async (scope) => {
      await scope.register(rateLimit, {
        global: false,
        timeWindow: 1000,
        keyGenerator: ({ ip }) => clientNetwork(ip),
        allowList: ({ caller, isStorefront }) => isStorefront || isStaff(caller),
      })
      const createLimit = (max: number): Limit => {
        if (max === 0) return async () => {}
        const count = scope.createRateLimit({ max })
        return async (request) => {
          const counted = await count(request)
          if (counted.isAllowed || !counted.isExceeded) return
          // Until the second is over: clients that repeat at once would take as much of the event loop as without a limit.
          await delay(counted.ttl)
          throw rateLimited(counted.ttl)
        }
      }
      app.decorate('costlyLimit', () => createLimit(costlyPerSecond))
      const limit = createLimit(perSecond)
      const limitLargeBodies = createLimit(costlyPerSecond)
      app.addHook('onRequest', async (request) => {
        await limit(request)
        if (mayHaveLargeBody(request)) await limitLargeBodies(request)
      })
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

/** Nothing says beforehand how long a body in chunks is. */
function mayHaveLargeBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LARGE_BODY_BYTES
}

/**
 * Returns a `config.rateLimit`: requests per client address and window, rejected ones included, counted in the database for
 * all instances.
 * @param name of the counter; routes with the same name share it
 * @param max 0 disables the limit
 */
export function perAddress(name: string, max: number, windowMs: number): RateLimitOptions | false {
  if (max === 0) return false
  return { max, timeWindow: windowMs, keyGenerator: ({ clientAddress }) => `${name}:${clientNetwork(clientAddress)}` }
}
