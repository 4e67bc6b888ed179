import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The client's network for rate limits: an IPv4 address, also when mapped into IPv6, or an IPv6 /64, which one client
 * usually owns as a whole.
 * @param address from the socket or a trusted proxy; invalid ones share a limit
 */
export function clientNetwork(address: string): string {
  return networkOf(address, 32, 64)
}

/**
 * The client's address as a server forwards it whose key says that it may: the entry before the server's own.
 * @param ip the server's, from the socket or a trusted proxy
 * @param header X-Forwarded-For
 */
export function forwardedAddress(ip: string, header: string): string {
  const entries = header.split(',').map((entry) => entry.trim())
  const own = entries.lastIndexOf(ip)
  const client = own === -1 ? entries.at(-1) : entries[own - 1]
  return client !== undefined && isIP(bareAddress(client)) !== 0 ? client : ip
}

/** The network by which usual logins are recognised: IPv4 /24 or IPv6 /48, typical of one connection or office. */
export function loginNetwork(address: string): string {
  return networkOf(address, 24, 48)
}

/** @param bits4 of an IPv4 network, @param bits6 of an IPv6 network */
function networkOf(address: string, bits4: number, bits6: number): string {
  const bare = bareAddress(address)
  if (isIP(bare) === 0) return 'unknown'
  const parsed = ipaddr.process(bare)
  const [family, bits] = parsed.kind() === 'ipv4' ? [ipaddr.IPv4, bits4] : [ipaddr.IPv6, bits6]
  return bits === 32 ? `${parsed}` : `${family.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`
}

/** Removes a port, which some proxies add (`203.0.113.7:51234`, `[2001:db8::1]:443`), and a zone (`%eth0`). */
function bareAddress(text: string): string {
  const inBrackets = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1]
  const withoutPort = inBrackets ?? text.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/, '$1')
  return withoutPort.split('%', 1)[0] ?? ''
}

const NAMED_RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Named ranges that TRUST_PROXY accepts. */
export const RANGE_NAMES = Object.keys(NAMED_RANGES)

/** Matches addresses, with or without a port, against addresses and ranges (`10.0.0.0/8`, `loopback`). */
export function belongsTo(ranges: string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const range of ranges.flatMap((entry) => NAMED_RANGES[entry] ?? entry)) {
    const [address = '', prefix] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address = '') => {
    const bare = bareAddress(address)
    if (isIPv4(bare)) return list.check(bare)
    return isIPv6(bare) && list.check(bare, 'ipv6')
  }
}

/** What failed logins are counted by (docs/accounts.md). */
export const LOGIN_BLOCK_KINDS = ['PAIR', 'ADDRESS', 'EMAIL', 'CODE'] as const
export type LoginBlockKind = (typeof LOGIN_BLOCK_KINDS)[number]

/** Wrong codes for an account with the right password, from all addresses, in 15 minutes (docs/accounts.md). */
export const MAX_WRONG_CODES = 10

/** Keys of the counters; db/queries/accounts/login-blocks.ts reads them back. @param email hashed */
export const loginCounter = {
  pair: (email: string, network: string) => `login:pair:${email}:${network}`,
  address: (network: string) => `login:address:${network}`,
  email: (email: string) => `login:email:${email}`,
  code: (email: string) => `login:code:${email}`,
}
