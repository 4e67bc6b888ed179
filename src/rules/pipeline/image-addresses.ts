import { type ErrorDetail, invalid } from '../../errors.ts'

/**
 * Addresses of images that staff chose: http(s), each once, in their order.
 * @throws AppError 400 that names each one that is none
 */
export function readImageUrls(urls: string[]): string[] {
  const read = urls.map((url) => url.trim())
  const details = read.flatMap((url, index): ErrorDetail[] =>
    isHttpUrl(url) ? [] : [{ path: `urls.${index}`, message: 'must be an http(s) address' }],
  )
  if (details.length > 0) throw invalid(...details)
  return [...new Set(read)]
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && !/\s/.test(text) && URL.canParse(text)
}
