import { AppError } from '../../src/errors.ts'

/** What a caller is told when `work` refuses; null when it does not. */
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
