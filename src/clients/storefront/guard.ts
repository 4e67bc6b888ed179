import { lookup as dnsLookup } from 'node:dns'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { StorefrontError } from '../../errors.ts'
import type { FaultReason } from '../../rules/faults/sentences.ts'

/** Importing it would also load Node's WebSocket client, 14 MB. */
const http = process.getBuiltinModule('node:http')

/** Lower ports, except 80 and 443, belong to mail, shells and the like; browsers block most of them too. */
const MIN_UNPRIVILEGED_PORT = 1024
/** All allocated IPv6 addresses; outside are obsolete forms that embed IPv4 addresses. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure's metadata and DNS, which every virtual machine there can reach. */
const AZURE_PLATFORM = '168.63.129.16'

type Refusal = Extract<FaultReason, { code: 'PRIVATE_ADDRESS' | 'NOT_WEB_PORT' }>

/**
 * Keeps requests away from everything but public web servers. Addresses are checked when the connection is made, so that
 * DNS rebinding doesn't help.
 * @param allowedHosts `host` or `host:port` that may be private
 */
export function createGuard(allowedHosts: string[], lookup: LookupFunction = dnsLookup) {
  const agent = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) }
  const publicLookup = rejectPrivate(lookup)
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))

  const isAllowed = (url: URL) => allowed.has(url.hostname) || allowed.has(hostAndPort(url))

  /** Why no request may go to this URL, as far as is known before a lookup; null: one may. */
  function refusalOf(url: URL): Refusal | null {
    if (isAllowed(url)) return null
    if (namesPrivateAddress(url)) return { code: 'PRIVATE_ADDRESS' }
    const port = portOf(url)
    const isOfWeb = port >= MIN_UNPRIVILEGED_PORT || port === 80 || port === 443
    return isOfWeb ? null : { code: 'NOT_WEB_PORT', params: { port } }
  }

  /**
   * Returns got's options of a request to this URL, without redirects.
   * @throws StorefrontError for private addresses and unusual ports, before any lookup
   */
  function connectionTo(url: URL) {
    const refusal = refusalOf(url)
    if (refusal?.code === 'PRIVATE_ADDRESS') throw refusedAddress()
    if (refusal) throw new StorefrontError(`port ${refusal.params.port} is not a web server's`)
    return { agent, dnsLookup: isAllowed(url) ? lookup : publicLookup }
  }

  return {
    refusalOf,
    connectionTo,
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
  return new StorefrontError('the address is private or not on the public internet')
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}

/** As allowed hosts are written. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${portOf(url)}`
}

/** Whether an IP address belongs to the public internet: not private, loopback, link-local or reserved. */
function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_PLATFORM) return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6)
}

/** Whether a URL's host is a non-public IP address or localhost. Other names must be checked when resolved. */
function namesPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return /(?:^|\.)localhost\.?$/i.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
}
