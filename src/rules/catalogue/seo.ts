import { invalid } from '../../errors.ts'

type SeoTexts = { title: string; description: string }

/** Bytes of its JSON (contract section 4, "seoTextDoc"). */
const LARGEST_TEXT_DOC = 64 * 1024

const MISSING = '\0'

/**
 * A template with its `{placeholders}` filled in (specification, "seo_*_template"). A value that is missing takes the
 * separator before it along; a placeholder that isn't known stays as it is.
 */
export function fillTemplate(template: string, values: Record<string, string | null>): string {
  const filled = template.replace(/\{(\w+)\}/g, (placeholder, key: string) =>
    Object.hasOwn(values, key) ? values[key] || MISSING : placeholder,
  )
  if (!filled.includes(MISSING)) return filled.trim()
  return filled
    .replace(/[\s,;:|·—–-]*\0/g, '')
    .replace(/^[\s,;:|·—–.-]+/, '')
    .replace(/\s{2,}/g, ' ')
    .trim()
}

/** The record's own texts where it has them, else the templates (contract section 4, "seo"). */
export function resolveSeo(
  own: { metaTitle: string | null; metaDescription: string | null },
  templates: SeoTexts,
  values: Record<string, string | null>,
): SeoTexts {
  return {
    title: own.metaTitle || fillTemplate(templates.title, values),
    description: own.metaDescription || fillTemplate(templates.description, values),
  }
}

/** A price in running text: `1234.50` and RUB are `1234.50 RUB`, whole amounts go without `.00`. */
export function priceInWords(price: string | null, currency: string): string | null {
  return price === null ? null : `${price.replace(/\.00$/, '')} ${currency}`
}

/**
 * The text under a listing, as it is stored; undefined when it wasn't sent.
 * @throws AppError 400 when it is beyond 64 KB
 */
export function readSeoTextDoc(doc: object | null | undefined): string | null | undefined {
  if (doc === null || doc === undefined) return doc
  const text = JSON.stringify(doc)
  if (Buffer.byteLength(text) <= LARGEST_TEXT_DOC) return text
  throw invalid({ path: 'seoTextDoc', message: `must have at most ${LARGEST_TEXT_DOC} bytes as JSON` })
}
