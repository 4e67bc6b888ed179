import { createRequire } from 'node:module'
import { LRUCache } from 'lru-cache'
import { StorefrontError } from '../../errors.ts'

type Parsed = {
  isAllowed(url: string, userAgent: string): boolean | undefined
  getCrawlDelay(userAgent: string): number | undefined
}
/** Its types say that an import has it under another name than it has. */
const robotsParser: (url: string, text: string) => Parsed = createRequire(import.meta.url)('robots-parser')

const LIFETIME_MS = 3_600_000
/** A server that can't tell is asked again sooner. */
const FAILURE_LIFETIME_MS = 60_000
const MAX_SITES = 500
/** What is longer is cut, as search engines do; a line is no longer than an address. */
const MAX_TEXT_LENGTH = 500_000
const MAX_LINE_LENGTH = 500
/** Characters of rules with wildcards: each takes the length of the path to compare. */
const MAX_WILDCARDS = 20_000
const MAX_DELAY_MS = 30_000

type Rules = { allows(url: URL): boolean; delayMs: number }

export type Robots = {
  /**
   * What the site's robots.txt says; asked for once an hour.
   * @throws StorefrontError while the site can't say
   */
  of(url: URL): Promise<Rules>
}

/**
 * The Robots Exclusion Protocol (RFC 9309).
 * @param read the text at an address; null when the site has none (4xx)
 */
export function createRobots(userAgent: string, read: (url: URL) => Promise<string | null>): Robots {
  const sites = new LRUCache<string, Promise<Rules>>({ max: MAX_SITES, ttl: LIFETIME_MS })

  async function ask(address: URL): Promise<Rules> {
    const text = await read(address)
    if (text === null) return { allows: () => true, delayMs: 0 }
    const rules = robotsParser(address.href, withinBounds(text))
    const seconds = Number(rules.getCrawlDelay(userAgent) ?? 0)
    return {
      allows: (url) => rules.isAllowed(url.href, userAgent) !== false,
      delayMs: seconds > 0 ? Math.min(seconds * 1000, MAX_DELAY_MS) : 0,
    }
  }

  return {
    of(url) {
      const held = sites.get(url.origin)
      if (held !== undefined) return held
      const asked = ask(new URL('/robots.txt', url))
      sites.set(url.origin, asked)
      asked.catch((error: unknown) => {
        // One that was interrupted says nothing.
        const lifetime = error instanceof StorefrontError ? FAILURE_LIFETIME_MS : 1
        if (sites.peek(url.origin) === asked) sites.set(url.origin, asked, { ttl: lifetime })
      })
      return asked
    },
  }
}

function withinBounds(text: string): string {
  const lines = text.slice(0, MAX_TEXT_LENGTH).split(/\r\n|\r|\n/)
  // Half a rule would be another rule.
  if (text.length > MAX_TEXT_LENGTH) lines.pop()
  let wildcards = 0
  const kept = lines.filter((line) => {
    if (line.includes('*') && /allow/i.test(line)) wildcards += line.length
    return line.length <= MAX_LINE_LENGTH && wildcards <= MAX_WILDCARDS
  })
  return kept.join('\n')
}
