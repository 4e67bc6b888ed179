import { AppError } from '../../src/errors.ts'

/** The error that `work` throws, as the caller sees it; null if it throws none. */
export function refusalOf(work: () => unknown): { code: string; paths: string[]; words: string } | null {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const details = error.extras.details ?? []
    const words = details.map(({ message }) => message).join('; ') || error.message
    return { code: error.code, paths: details.map(({ path }) => path), words }
  }
}
