import { invalid } from '../../errors.ts'

/**
 * Reads a link: a path in the shop (`/sale`) or an http(s) URL; null when blank, undefined when absent.
 * @throws AppError 400
 */
export function readLink(path: string, text: string | null | undefined): string | null | undefined {
  const link = text?.trim()
  if (!link) return text === undefined ? undefined : null
  const isPage = /^\/(?![/\\])/.test(link)
  if (isPage || (URL.canParse(link) && /^https?:$/.test(new URL(link).protocol))) return link
  throw invalid({ path, message: 'must be a path in the shop (/…) or an http(s) URL' })
}

/** Trims an optional text: null when blank, undefined when absent. */
export function trimOptionalText(text: string | null | undefined): string | null | undefined {
  return text === undefined ? undefined : text?.trim() || null
}
