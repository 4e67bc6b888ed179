import { AppError } from '../../src/errors.ts'
import { sentenceOf } from '../../src/rules/faults/sentences.ts'

/** The error that `work` throws, as the caller sees it; null if it throws none. */
export function refusalOf(work: () => unknown): { code: string; paths: string[]; words: string } | null {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const faults = error.extras.faults ?? []
    const words = faults.map((fault) => sentenceOf(fault, 'en')).join('; ') || error.message
    return { code: error.code, paths: faults.map(({ path }) => path), words }
  }
}
