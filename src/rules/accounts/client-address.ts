import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What counts as one caller: an IPv4 address, or the /64 network of an IPv6 address, since whoever has one address of
 * it has all. An IPv4 address inside an IPv6 one (`::ffff:192.0.2.1`) counts as itself.
 * @param address as the socket or a trusted proxy gives it; all that is no address counts as one caller
 */
export function clientNetwork(address: string): string {
  const bare = address.split('%')[0] ?? ''
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return 'unknown'
  const parsed = ipaddr.IPv6.parse(bare)
  // The obsolete `::192.0.2.1` is no mapped address, though the parser takes it for one.
  if (parsed.isIPv4MappedAddress() && /ffff/i.test(bare)) return parsed.toIPv4Address().toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
