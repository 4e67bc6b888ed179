import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { rateLimited } from '../src/errors.ts'
import { clientNetwork } from '../src/rules/accounts/client-address.ts'
import { isStaff } from '../src/rules/accounts/roles.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file to import, which may be larger than others. */
    importsFile?: true
  }
}

const KB = 1024
const MAX_STRANGER_BYTES = 64 * KB
const MAX_STAFF_BYTES = 1024 * KB
const MAX_IMPORT_BYTES = 20 * 1024 * KB

/** What a network may send at once after a pause. */
const BURST_BYTES = 4 * MAX_STRANGER_BYTES
/** A refused request counts at least as much as a body of this size. */
const REFUSAL_BYTES = 4 * KB
const REFUSALS = [400, 401, 403, 404, 413, 415, 429]
/** Refusals beyond the budget are sent after this delay: their sender would repeat them at once. */
const HOLD_MS = 1000
const MAX_NETWORKS = 10_000

/**
 * Limits the size of JSON bodies by the access of the route (contract section 1), and what the bodies of one network
 * may cost: parsing runs on the event loop, where everyone else waits. Must be registered after `auth`, which rejects
 * callers before their bodies are parsed.
 */
export const bodiesPlugin = fp<{ kbPerSecond: number }>(
  async (app, { kbPerSecond }) => {
    const budget = createBudget(kbPerSecond * KB)

    app.addHook('onRoute', (route) => {
      const { access = 'public', importsFile } = route.config ?? {}
      const isOpen = access === 'public' || access === 'user'
      route.bodyLimit = importsFile ? MAX_IMPORT_BYTES : isOpen ? MAX_STRANGER_BYTES : MAX_STAFF_BYTES
    })
    parseJson(app, (request, bytes) => {
      if (isStaff(request.caller) || budget.take(request.ip, bytes)) return
      // The refusal counts too.
      throw rateLimited(budget.msUntil(request.ip, bytes + REFUSAL_BYTES))
    })
    app.addHook('onSend', (request, reply, payload, done) => {
      const isRefusal = REFUSALS.includes(reply.statusCode) && hasBody(request) && !isStaff(request.caller)
      if (!isRefusal || budget.take(request.ip, REFUSAL_BYTES)) return done(null, payload)
      setTimeout(done, HOLD_MS, null, payload)
    })
  },
  { name: 'bodies', dependencies: ['auth'] },
)

/**
 * Accepts an empty body, since some clients send `content-type: application/json` with every POST, and a byte order mark,
 * which spreadsheets and editors write.
 */
function parseJson(app: FastifyInstance, charge: (request: FastifyRequest, bytes: number) => void): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined)
    charge(request, body.length)
    return parse(request, body.toString().replace(/^\uFEFF/, ''), done)
  })
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
