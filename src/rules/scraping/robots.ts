export type RobotsRules = {
  allows(url: URL): boolean
  /** From `Crawl-delay`; null: none. */
  delaySeconds: number | null
}

/** `pattern`: a beginning of paths; `*` stands for any text, `$` for the end. */
type Rule = { pattern: string; allow: boolean }
type Group = { rules: Rule[]; delaySeconds: number | null }

/** The rest is ignored (RFC 9309, section 2.5). */
const MAX_LENGTH = 500 * 1024
/** Of all patterns with wildcards, since each of these is searched for in the whole path. */
const MAX_WILDCARD_LENGTH = 20_000
const LINE = /^\s*([a-z-]+)\s*:([^#]*)/i

/** Reads a robots.txt (RFC 9309): the rules of the groups that name the agent, or else of those for all agents. */
export function readRobots(text: string, userAgent: string): RobotsRules {
  const agent = productOf(userAgent)
  const groups = new Map<string, Group>()
  let current: Group[] = []
  let isNaming = false
  let wildcardLength = 0

  function read(key: string, value: string): void {
    if (key === 'user-agent') {
      if (!isNaming) current = []
      isNaming = true
      const name = productOf(value)
      // Rules of other agents, each of whom any number of lines may name, would fill the memory.
      if (name !== agent && name !== '*') return
      const group = groups.get(name) ?? { rules: [], delaySeconds: null }
      groups.set(name, group)
      if (!current.includes(group)) current.push(group)
    } else if (key === 'crawl-delay') {
      isNaming = false
      for (const group of current) group.delaySeconds = Number(value)
    } else if (key === 'allow' || key === 'disallow') {
      isNaming = false
      const pattern = normalPath(value)
      if (hasWildcard(pattern)) wildcardLength += pattern.length
      const isCostly = hasWildcard(pattern) && wildcardLength > MAX_WILDCARD_LENGTH
      if (pattern === '' || isCostly) return
      for (const group of current) group.rules.push({ pattern, allow: key === 'allow' })
    }
  }

  const lines = text.slice(0, MAX_LENGTH).split(/\r\n|\r|\n/)
  // A rule that is cut off would forbid more than it says.
  if (text.length > MAX_LENGTH) lines.pop()
  for (const line of lines) {
    const [, key = '', value = ''] = LINE.exec(line) ?? []
    read(key.toLowerCase(), value.trim())
  }
  const { rules, delaySeconds } = groups.get(agent) ?? groups.get('*') ?? { rules: [], delaySeconds: null }
  // The longest match counts; of equal ones the one that allows.
  rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow))
  return {
    allows(url) {
      const path = normalPath(url.pathname + url.search)
      return rules.find(({ pattern }) => matches(pattern, path))?.allow ?? true
    },
    delaySeconds,
  }
}

/** The name of an agent without its version, in lower case. */
function productOf(userAgent: string): string {
  return userAgent.replace(/\/.*/s, '').trim().toLowerCase()
}

/** Encodes all but ASCII, and writes percent-encoded bytes in upper case. */
function normalPath(path: string): string {
  const encoded = encodeURI(path.toWellFormed()).replaceAll('%25', '%')
  return encoded.replace(/%[0-9a-f]{2}/gi, (byte) => byte.toUpperCase())
}

function hasWildcard(pattern: string): boolean {
  return pattern.includes('*') || pattern.endsWith('$')
}

function matches(pattern: string, path: string): boolean {
  if (!hasWildcard(pattern)) return path.startsWith(pattern)
  const isWhole = pattern.endsWith('$')
  const [beginning = '', ...parts] = pattern.slice(0, isWhole ? -1 : undefined).split('*')
  if (!path.startsWith(beginning)) return false
  const ending = isWhole ? (parts.pop() ?? null) : null
  if (isWhole && ending === null) return path === beginning
  let at = beginning.length
  for (const part of parts) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return ending === null || (path.length - ending.length >= at && path.endsWith(ending))
}
