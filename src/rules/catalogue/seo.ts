type SeoTexts = { title: string; description: string }

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
