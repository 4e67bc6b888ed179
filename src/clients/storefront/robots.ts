import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import { StorefrontError } from '../../errors.ts'

type Parsed = { isAllowed(url: string, userAgent: string): boolean | undefined }
/** Loaded by require because the package's types declare a default export that it doesn't have. */
const robotsParser: (url: string, text: string) => Parsed = createRequire(import.meta.url)('robots-parser')

const TTL_MS = 3_600_000
const FAILURE_TTL_MS = 60_000
/** A large robots.txt takes some megabytes. */
const MAX_SITES = 20
/** In characters; the rest is ignored (RFC 9309, section 2.5). */
const MAX_LENGTH = 500 * 1024
/** Characters of rules with wildcards, since each of these is compared with the whole path. */
const MAX_WILDCARD_LENGTH = 20_000
const LINE = /^\s*(user-agent|allow|disallow)\s*:([^#]*)/i

/**
 * Implements the Robots Exclusion Protocol (RFC 9309).
 * @param read fetches robots.txt; null when the site has none (4xx)
 */
export function createRobots(userAgent: string, read: (url: URL, signal: AbortSignal) => Promise<string | null>) {
  const sites = new LRUCache<string, Promise<Parsed>>({ max: MAX_SITES, ttl: TTL_MS })

  /**
   * Whether the URL's site allows it, by rules cached for an hour.
   * @param signal aborts the request for all who wait for it: they belong to one run
   * @throws StorefrontError while robots.txt is unavailable, cached for a minute
   */
  return async (url: URL, signal: AbortSignal): Promise<boolean> => {
    const rules = await (sites.get(url.origin) ?? load(url, signal))
    return rules.isAllowed(url.href, userAgent) !== false
  }

  function load(url: URL, signal: AbortSignal): Promise<Parsed> {
    const address = new URL('/robots.txt', url)
    const rules = read(address, signal).then((text) => robotsParser(address.href, withFewAgents(userAgent, text ?? '')))
    sites.set(url.origin, rules)
    rules.catch((error: unknown) => {
      if (error instanceof StorefrontError) sites.set(url.origin, rules, { ttl: FAILURE_TTL_MS })
      else sites.delete(url.origin)
    })
    return rules
  }
}

/** Renames the other agents and drops repeated names: the parser copies each rule to each agent of its group. */
function withFewAgents(userAgent: string, text: string): string {
  const names = [nameOf(userAgent), '*']
  const named = new Set<string>()
  let wildcards = 0
  const lines = text.slice(0, MAX_LENGTH).split(/\r\n|\r|\n/)
  // A rule that is cut off would forbid more than it says.
  if (text.length > MAX_LENGTH) lines.pop()
  const kept = lines.flatMap((line) => {
    const [, field, value = ''] = LINE.exec(line) ?? []
    if (field === undefined) return []
    if (/^user-agent$/i.test(field)) {
      const name = names.find((ours) => ours === nameOf(value)) ?? 'other'
      if (named.has(name)) return []
      named.add(name)
      return `User-agent: ${name}`
    }
    named.clear()
    if (!value.includes('*')) return line
    wildcards += value.length
    return wildcards > MAX_WILDCARD_LENGTH ? [] : line
  })
  return kept.join('\n')
}

/** The name of an agent without its version, in lower case. */
function nameOf(userAgent: string): string {
  return userAgent.replace(/\/.*/s, '').trim().toLowerCase()
}
