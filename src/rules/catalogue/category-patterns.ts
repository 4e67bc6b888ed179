import { RE2JS, RE2JSException, RE2Set } from 're2js'
import { invalid } from '../../errors.ts'

/** Steps of a compiled pattern: what one comparison costs grows with them, and repetitions multiply them. */
const MAX_PROGRAM_STEPS = 1000
/** Patterns that are compared as one cost hardly more than one, until they are so large together. */
const MAX_GROUP_STEPS = 2000

/**
 * Patterns are compared in time that grows with the text alone (RE2), whatever they are; upper and lower case are the
 * same.
 * @throws AppError 400 that names `pattern` and says what is wrong
 */
export function checkPattern(pattern: string): void {
  const message = faultOf(pattern)
  if (message !== null) throw invalid({ path: 'pattern', message })
}

export type Patterns = {
  /** What is no pattern any more, or never was one, is left out. */
  add(pattern: string): void
  /** Each says whether a text matches any of some of the patterns; together they are all of them. */
  matchers: ((text: string) => boolean)[]
}

/** Patterns to be compared with many texts. Adding one, and one comparison, take a few milliseconds at most. */
export function createPatterns(): Patterns {
  const matchers: Patterns['matchers'] = []
  let group: RE2Set | undefined
  let room = 0
  return {
    matchers,
    add(pattern) {
      const size = sizeOf(pattern)
      if (typeof size === 'string') return
      if (group === undefined || size > room) {
        const next = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE)
        matchers.push((text) => next.match(text).length > 0)
        group = next
        room = MAX_GROUP_STEPS
      }
      group.add(pattern)
      room -= size
    },
  }
}

function faultOf(pattern: string): string | null {
  const size = sizeOf(pattern)
  if (typeof size === 'string') return size
  return size > MAX_PROGRAM_STEPS ? 'repeats too much: its repetitions make it too large' : null
}

/** @returns what is wrong when it is no pattern */
function sizeOf(pattern: string): number | string {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).programSize()
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    if (/^.*\(\?<?[=!]/.test(pattern))
      return 'looks ahead or behind, which patterns here can not (RE2 syntax)'
    return `is no regular expression (RE2 syntax): ${error.message.replace(/^error parsing regexp: /, '')}`
  }
}
