import { invalid } from '../../errors.ts'

/**
 * Reads a link: a path in the shop (`/sale`) or an http(s) URL; null when blank, undefined when absent.
 * @throws AppError 400
 */
export function readLink(path: string, text: string | null | undefined): string | null | undefined {
  const link = text?.trim()
  if (!link) return text === undefined ? undefined : null
  // Browsers skip tabs and line breaks, and read a backslash as a slash: `/\t/host` leads to another host.
  const isPlain = !/[\p{Cc}\\]/u.test(link)
  if (isPlain && /^(https?:\/)?\/(?!\/)/i.test(link) && URL.canParse(link, 'https://shop.invalid'))
    return link
  throw invalid({ path, message: 'must be a path in the shop (/…) or an http(s) URL' })
}

/** Trims an optional text: null when blank, undefined when absent. */
export function trimOptionalText(text: string | null | undefined): string | null | undefined {
  return text === undefined ? undefined : text?.trim() || null
}
