type SeoTexts = { title: string; description: string }

const MISSING = '\0'

/**
 * Fills in the `{placeholders}` of a template (specification, "seo_*_template"). A missing value is removed with the
 * separator before it; an unknown placeholder stays.
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

/** The record's own texts, or the filled templates (contract section 4, "seo"). */
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

/** A price in running text: `1234.50 RUB`, or `1234 RUB` for whole amounts. */
export function priceInWords(price: string | null, currency: string): string | null {
  return price === null ? null : `${price.replace(/\.00$/, '')} ${currency}`
}
