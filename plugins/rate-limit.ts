import rateLimit, { type FastifyRateLimitStore, type RateLimitOptions } from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { addToCounters } from '../db/queries/accounts/rate-limits.ts'
import { rateLimited } from '../src/errors.ts'
import { clientNetwork } from '../src/rules/accounts/client-address.ts'

/** Rate limits of single routes, counted in the database for all instances (contract section 3). */
export const rateLimitPlugin = fp(
  async (app) => {
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
  { name: 'rate-limit', dependencies: ['errors'] },
)

/**
 * Returns a `config.rateLimit`: requests per client address and window, rejected ones included.
 * @param name of the counter; routes with the same name share it
 * @param max 0 disables the limit
 */
export function perAddress(name: string, max: number, windowMs: number): RateLimitOptions | false {
  if (max === 0) return false
  return { max, timeWindow: windowMs, keyGenerator: ({ ip }) => `${name}:${clientNetwork(ip)}` }
}
