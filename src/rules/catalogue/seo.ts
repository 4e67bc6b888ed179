import type { SettingValues } from '../settings/keys.ts'

/** A placeholder with the separators before it. */
const PLACEHOLDER = /((?<![\s,;:|·•/\\&+—–-])[\s,;:|·•/\\&+—–-]+)?\{(\w+)\}/g
const LEADING_SEPARATORS = /^[\s,;:|·•/\\&+—–-]+(?=\s)/
const EMPTY_BRACKETS = /((?<!\s)\s+)?(\(\)|\[\]|«»|“”|„“|"")/g

/**
 * Fills in the `{placeholders}` of a template. A missing value takes the separators
 * before it along; an unknown placeholder stays.
 */
export function fillTemplate(template: string, values: Record<string, string | null>): string {
  const text = template.replace(PLACEHOLDER, (placeholder, separators = '', key: string) => {
    if (!Object.hasOwn(values, key)) return placeholder
    return values[key] ? separators + values[key] : ''
  })
  return text.replace(EMPTY_BRACKETS, '').replace(LEADING_SEPARATORS, '').trim()
}

type Described = { name: string; meta_title?: string | null; meta_description?: string | null }

/** The record's own texts, or the filled templates of its kind (docs/catalogue.md). */
export function resolveSeo(
  kind: 'product' | 'category' | 'tag' | 'brand',
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
