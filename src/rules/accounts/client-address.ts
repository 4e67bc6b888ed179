import { isIPv4, isIPv6 } from 'node:net'

/**
 * What counts as one caller: an IPv4 address, or the /64 network of an IPv6 address, since whoever has one address of
 * it has all. An IPv4 address inside an IPv6 one (`::ffff:192.0.2.1`) counts as itself.
 * @param address as the socket or a trusted proxy gives it; all that is no address counts as one caller
 */
export function clientNetwork(address: string): string {
  const bare = address.split('%')[0] ?? ''
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return 'unknown'
  const groups = expand(bare)
  const [high = 0, low = 0] = groups.slice(6)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (mapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): number[] {
  // The URL parser turns an IPv4 tail into two groups; what it leaves open is only `::`.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail = ''] = canonical.split('::')
  const [before, after] = [head, tail].map((part) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)),
  )
  const known = [...(before ?? []), ...(after ?? [])].length
  return [...(before ?? []), ...Array<number>(8 - known).fill(0), ...(after ?? [])]
}
