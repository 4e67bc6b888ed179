type SeoTexts = { title: string; description: string }

const PLACEHOLDER = /\{(\w+)\}/g
/** Stands for placeholders without a value. */
const MISSING = '\0'
const SEPARATORS = String.raw`[\s,;:|·•/\\&+—–-]*`
const BETWEEN_MISSING = new RegExp(`\0${SEPARATORS}\0`, 'g')
const IN_BRACKETS = new RegExp(
  ['()', '[]', '«»', '“”', '„“', '""']
    .map(([open, close]) => `\\${open}${SEPARATORS}\0${SEPARATORS}\\${close}`)
    .join('|'),
  'g',
)
const AFTER_BRACKET = new RegExp(`([([«“„])${SEPARATORS}\0${SEPARATORS}`, 'g')
const AT_START = new RegExp(`(^|[.!?]\\s)${SEPARATORS}\0[.\\s]*${SEPARATORS}`, 'g')
const AFTER_SEPARATORS = new RegExp(`${SEPARATORS}\0`, 'g')

/**
 * Fills in the `{placeholders}` of a template (specification, "seo_*_template"). A missing value takes its brackets and
 * separators with it; an unknown placeholder stays.
 */
export function fillTemplate(template: string, values: Record<string, string | null>): string {
  const isMissing = (key: string) => Object.hasOwn(values, key) && !values[key]
  const marked = template.replace(PLACEHOLDER, (placeholder, key: string) =>
    isMissing(key) ? MISSING : placeholder,
  )
  return withoutMissing(marked)
    .replace(PLACEHOLDER, (placeholder, key: string) =>
      Object.hasOwn(values, key) ? (values[key] ?? '') : placeholder,
    )
    .trim()
}

/** Works on the template, so that the values keep their own punctuation. */
function withoutMissing(template: string): string {
  if (!template.includes(MISSING)) return template
  let text = template
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(BETWEEN_MISSING, MISSING).replace(IN_BRACKETS, MISSING)
  }
  return text
    .replace(AFTER_BRACKET, '$1')
    .replace(AT_START, '$1')
    .replace(AFTER_SEPARATORS, '')
    .replace(/\s{2,}/g, ' ')
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
