import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All that is given out of IPv6; around it are obsolete forms that hide IPv4 addresses in them. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an address lies on the public internet: not private, loopback, link-local, or set aside for anything. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6)
}

/** Whether a URL names an address that isn't public, or this machine. Other names show when they are resolved. */
export function namesPrivateAddress({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return /(?:^|\.)localhost\.?$/i.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
}
