import type { SettingValues } from '../settings/keys.ts'

const PLACEHOLDER = /\{(\w+)\}/g
/** Marks a placeholder without a value. */
const MISSING = '\0'
const SEPARATORS = String.raw`[\s,;:|·•/\\&+—–-]*`
const BETWEEN_MISSING = new RegExp(`\0${SEPARATORS}\0`, 'g')
const IN_BRACKETS = new RegExp(`[([«“„"]${SEPARATORS}\0${SEPARATORS}[)\\]»”“"]`, 'g')
const AFTER_BRACKET = new RegExp(`([([«“„])${SEPARATORS}\0${SEPARATORS}`, 'g')
const AT_START = new RegExp(`(^|[.!?]\\s)${SEPARATORS}\0[.\\s]*${SEPARATORS}`, 'g')
const AFTER_SEPARATORS = new RegExp(`${SEPARATORS}\0`, 'g')

/**
 * Fills in the `{placeholders}` of a template (specification, "seo_*_template"). A missing value takes its brackets and
 * separators with it; an unknown placeholder stays.
 */
export function fillTemplate(template: string, values: Record<string, string | null>): string {
  const marked = template.replace(PLACEHOLDER, (placeholder, key: string) =>
    Object.hasOwn(values, key) && !values[key] ? MISSING : placeholder,
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

type Described = { name: string; meta_title: string | null; meta_description: string | null }

/** The record's own texts, or the filled templates of its kind (contract section 4, "seo"). */
export function resolveSeo(
  kind: 'product' | 'category' | 'tag',
  { name, meta_title, meta_description }: Described,
  config: SettingValues,
  values: Record<string, string | null> = {},
): { title: string; description: string } {
  const all = { ...values, name, siteName: config.site_name }
  return {
    title: meta_title || fillTemplate(config[`seo_${kind}_title_template`], all),
    description: meta_description || fillTemplate(config[`seo_${kind}_description_template`], all),
  }
}

/** A price in running text: `1234.50 RUB`, or `1234 RUB` for whole amounts. */
export function priceInWords(price: string | null, currency: string): string | null {
  return price === null || price === '0.00' ? null : `${price.replace(/\.00$/, '')} ${currency}`
}
