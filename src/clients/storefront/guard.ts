import { lookup as dnsLookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { StorefrontError } from '../../errors.ts'
import { isPublicAddress, namesPrivateAddress } from '../../rules/scraping/addresses.ts'

/** Lower ports, except 80 and 443, belong to mail, shells and the like; browsers block most of them too. */
const MIN_UNPRIVILEGED_PORT = 1024
const NOT_PUBLIC = 'the address is private or not on the public internet'

/** got's options of a request to one URL. */
type Connection = { agent: { http: HttpAgent; https: HttpsAgent }; dnsLookup: LookupFunction }

/** Keeps requests away from everything but public web servers. */
export type Guard = {
  /**
   * Returns what a request to this URL must use; redirects need a call each.
   * @throws StorefrontError for private addresses and unusual ports, before any lookup
   */
  connectionTo(url: URL): Connection
  close(): void
}

/**
 * Creates a guard for untrusted URLs. Addresses are checked again when the connection is made, so that DNS rebinding
 * doesn't help.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createGuard(allowedHosts: string[], lookup: LookupFunction = dnsLookup): Guard {
  const keepAlive = { keepAlive: true }
  const guarded: Connection = {
    agent: {
      http: new RequestFilteringHttpAgent(keepAlive),
      https: new RequestFilteringHttpsAgent(keepAlive),
    },
    dnsLookup: rejectPrivate(lookup),
  }
  const trusting: Connection = {
    agent: { http: new HttpAgent(keepAlive), https: new HttpsAgent(keepAlive) },
    dnsLookup: lookup,
  }
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  return {
    connectionTo(url) {
      if (allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`)) return trusting
      assertPublicUrl(url)
      return guarded
    },
    close() {
      for (const { agent } of [guarded, trusting]) {
        agent.http.destroy()
        agent.https.destroy()
      }
    },
  }
}

/** Whether a request failed because the guard rejected the address that it connected to. */
export function isRefusedAddress(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  // The filtering agent's errors have no code.
  return message === NOT_PUBLIC || /is not allowed\. Because/.test(message)
}

export function refusedAddress(): StorefrontError {
  return new StorefrontError(NOT_PUBLIC, { permanent: true })
}

function assertPublicUrl(url: URL): void {
  if (namesPrivateAddress(url)) throw refusedAddress()
  const port = portOf(url)
  if (port >= MIN_UNPRIVILEGED_PORT || [80, 443].includes(port)) return
  throw new StorefrontError(`port ${port} is not a web server's`, { permanent: true })
}

/** Rejects names with any private address. The filtering agent checks too, but misses some notations. */
function rejectPrivate(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const isPrivate = error === null && !addresses.every(isPublicAddress)
      callback(isPrivate ? Object.assign(new Error(NOT_PUBLIC), { code: 'EPRIVATE' }) : error, found, family)
    })
  }
}

export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}
