import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All allocated IPv6 addresses; outside are obsolete forms that embed IPv4 addresses. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure's metadata and DNS, which every virtual machine there can reach. */
const AZURE_PLATFORM = '168.63.129.16'

/** Whether an IP address belongs to the public internet: not private, loopback, link-local or reserved. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_PLATFORM) return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6)
}

/** Whether a URL's host is a non-public IP address or localhost. Other names must be checked when resolved. */
export function namesPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return /(?:^|\.)localhost\.?$/i.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
}
