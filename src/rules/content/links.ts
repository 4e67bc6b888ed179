import { invalid } from '../../errors.ts'

/**
 * Where a banner or a feature leads: a page of the shop (`/sale`) or an http(s) address; null when it is blank.
 * @throws AppError 400
 */
export function readLink(path: string, text: string | null | undefined): string | null | undefined {
  const link = text?.trim()
  if (!link) return text === undefined ? undefined : null
  const isPage = /^\/(?![/\\])/.test(link)
  if (isPage || (URL.canParse(link) && /^https?:$/.test(new URL(link).protocol))) return link
  throw invalid({ path, message: 'must be a path of the shop (/…) or an http(s) address' })
}

/** Blank is none; undefined stays undefined: the field was not sent. */
export function optionalText(text: string | null | undefined): string | null | undefined {
  return text === undefined ? undefined : text?.trim() || null
}
