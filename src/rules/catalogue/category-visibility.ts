import { RE2JS, RE2JSException } from 're2js'
import { invalid } from '../../errors.ts'
import { fold, foldLetters } from '../fold.ts'
import { type CategoryTree, countBySubtree } from './category-tree.ts'

/** The ids of the categories without an active product in their subtree. @param direct active products directly in each */
export function idsOfUnused(tree: CategoryTree, direct: ReadonlyMap<number, number>): Set<number> {
  const counts = [...countBySubtree(tree, direct)]
  return new Set(counts.flatMap(([id, count]) => (count === 0 ? [id] : [])))
}

/** Steps of a compiled pattern, which one comparison takes time in proportion to; repetitions multiply them. */
const MAX_PROGRAM_STEPS = 1000

/**
 * Compiles a case-insensitive RE2 pattern, which matches in time linear in the text: any part of it as it is written, or as texts
 * are compared. @throws AppError 400 for `pattern`
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const written = compile(pattern)
  // The syntax of patterns is ASCII; no other sign becomes part of it.
  const letters = pattern.replace(/\P{ASCII}+/gu, (part) => foldLetters(part).replace(/[!-/:-@[-`{-~]/g, '\\$&'))
  const folded = compile(letters)
  return (text) => written.test(text) || folded.test(fold(text))
}

function compile(pattern: string): RE2JS {
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
    if (compiled.programSize() <= MAX_PROGRAM_STEPS) return compiled
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const reason = error.message.replace(/^error parsing regexp: |\(\?i\)/g, '')
    throw invalid({ path: 'pattern', code: 'NOT_PATTERN', params: { reason } })
  }
  throw invalid({ path: 'pattern', code: 'PATTERN_TOO_SLOW' })
}
