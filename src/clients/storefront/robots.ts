import { LRUCache } from 'lru-cache'
import { StorefrontError } from '../../errors.ts'
import { readRobots } from '../../rules/scraping/robots.ts'

const TTL_MS = 3_600_000
const FAILURE_TTL_MS = 60_000
/** A large robots.txt takes some megabytes. */
const MAX_SITES = 20
const MAX_DELAY_MS = 30_000

type Rules = { allows(url: URL): boolean; delayMs: number }

/**
 * Implements the Robots Exclusion Protocol (RFC 9309).
 * @param read fetches robots.txt; null when the site has none (4xx)
 */
export function createRobots(userAgent: string, read: (url: URL, signal: AbortSignal) => Promise<string | null>) {
  const sites = new LRUCache<string, Promise<Rules>>({ max: MAX_SITES, ttl: TTL_MS })

  async function load(robotsUrl: URL, signal: AbortSignal): Promise<Rules> {
    const text = await read(robotsUrl, signal)
    if (text === null) return { allows: () => true, delayMs: 0 }
    const { allows, delaySeconds } = readRobots(text, userAgent)
    return { allows, delayMs: Math.min((delaySeconds || 0) * 1000, MAX_DELAY_MS) }
  }

  return {
    /**
     * Returns the rules of the URL's site, cached for an hour.
     * @param signal aborts the request for all who wait for it: they belong to one run
     * @throws StorefrontError while robots.txt is unavailable, cached for a minute
     */
    rulesFor(url: URL, signal: AbortSignal): Promise<Rules> {
      const cached = sites.get(url.origin)
      if (cached !== undefined) return cached
      const rules = load(new URL('/robots.txt', url), signal)
      sites.set(url.origin, rules)
      rules.catch((error: unknown) => {
        if (error instanceof StorefrontError) sites.set(url.origin, rules, { ttl: FAILURE_TTL_MS })
        else sites.delete(url.origin)
      })
      return rules
    },
  }
}
