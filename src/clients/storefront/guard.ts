import { lookup as dnsLookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { StorefrontError } from '../../errors.ts'
import { isPublicAddress, namesPrivateAddress } from '../../rules/scraping/addresses.ts'

/** Lower ports, except 80 and 443, belong to mail, shells and the like; browsers block most of them too. */
const MIN_UNPRIVILEGED_PORT = 1024
const NOT_PUBLIC = 'the address is private or not on the public internet'

export type Guard = ReturnType<typeof createGuard>

/**
 * Keeps requests away from everything but public web servers. Addresses are checked when the connection is made, so that
 * DNS rebinding doesn't help.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createGuard(allowedHosts: string[], lookup: LookupFunction = dnsLookup) {
  const agent = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  const publicLookup = rejectPrivate(lookup)
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  return {
    /**
     * Returns got's options of a request to this URL; redirects need a call each.
     * @throws StorefrontError for private addresses and unusual ports, before any lookup
     */
    connectionTo(url: URL) {
      if (allowed.has(url.hostname) || allowed.has(`${url.hostname}:${portOf(url)}`)) {
        return { agent, dnsLookup: lookup }
      }
      if (namesPrivateAddress(url)) throw refusedAddress()
      const port = portOf(url)
      if (port < MIN_UNPRIVILEGED_PORT && port !== 80 && port !== 443) {
        throw new StorefrontError(`port ${port} is not a web server's`, { permanent: true })
      }
      return { agent, dnsLookup: publicLookup }
    },
    close() {
      agent.http.destroy()
      agent.https.destroy()
    },
  }
}

/** Rejects names with any private address. The lookup is part of the connection, so its result is what is connected to. */
function rejectPrivate(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      callback(error ?? (addresses.every(isPublicAddress) ? null : refusedAddress()), found, family)
    })
  }
}

function refusedAddress(): StorefrontError {
  return new StorefrontError(NOT_PUBLIC, { permanent: true })
}

export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}
