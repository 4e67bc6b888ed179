import { type ErrorDetail, invalid } from '../../errors.ts'

/**
 * Trims and deduplicates image URLs entered by staff.
 * @throws AppError 400 with a detail for each URL that isn't http(s)
 */
export function readImageUrls(urls: string[]): string[] {
  const trimmed = urls.map((url) => url.trim())
  const details = trimmed.flatMap((url, index): ErrorDetail[] =>
    isHttpUrl(url) ? [] : [{ path: `urls.${index}`, message: 'must be an http(s) URL' }],
  )
  if (details.length > 0) throw invalid(...details)
  return [...new Set(trimmed)]
}

export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && !/\s/.test(text) && URL.canParse(text)
}
