import { RE2JS, RE2JSException, RE2Set } from 're2js'
import { invalid } from '../../errors.ts'

/** Steps of a compiled pattern, which one comparison takes time in proportion to; repetitions multiply them. */
const MAX_PROGRAM_STEPS = 1000
/** Up to this size, matching a set of patterns costs hardly more than matching one. */
const MAX_GROUP_STEPS = 2000

/**
 * Checks a case-insensitive RE2 pattern, which matches in time linear in the text.
 * @throws AppError 400 for `pattern`
 */
export function checkPattern(pattern: string): void {
  const message = faultOf(pattern)
  if (message !== null) throw invalid({ path: 'pattern', message })
}

/** Compiles patterns for many texts. Adding one, and calling one matcher, takes a few milliseconds at most. */
export function createPatterns() {
  /** Each matches a text against a part of the patterns. */
  const matchers: ((text: string) => boolean)[] = []
  let group: RE2Set | undefined
  let capacity = 0
  return {
    matchers,
    /** Ignores invalid patterns. */
    add(pattern: string): void {
      const size = sizeOf(pattern)
      if (typeof size === 'string') return
      if (group === undefined || size > capacity) {
        const next = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE)
        matchers.push((text) => next.match(text).length > 0)
        group = next
        capacity = MAX_GROUP_STEPS
      }
      group.add(pattern)
      capacity -= size
    },
  }
}

function faultOf(pattern: string): string | null {
  const size = sizeOf(pattern)
  if (typeof size === 'string') return size
  return size > MAX_PROGRAM_STEPS ? 'has repetitions that make it too large' : null
}

/** @returns the number of steps, or an error message */
function sizeOf(pattern: string): number | string {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).programSize()
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    if (/^.*\(\?<?[=!]/.test(pattern)) return 'uses lookahead or lookbehind, which RE2 does not support'
    return `is not a valid RE2 expression: ${error.message.replace(/^error parsing regexp: /, '')}`
  }
}
