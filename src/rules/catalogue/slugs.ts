import anyAscii from 'any-ascii'
import { withoutInvisible } from '../text.ts'

function transliterate(text: string): string {
  const words = withoutInvisible(text)
    .normalize()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
  // Soft and hard signs become apostrophes.
  return anyAscii(words).replace(/['"`]/g, '').toLowerCase()
}

/** The longest slug has 120 characters: this leaves room for a suffix. */
const MAX_BASE_LENGTH = 110

/** Path segments with another meaning, here or in a storefront. */
const RESERVED = new Set(
  'actions active admin api by-slug edit facets homepage new reorder search sitemap suggest tree'.split(' '),
)

export type SlugParts = { slug: string; base: string; suffix: number }

/** Transliterates a name to `[a-z0-9-]` (docs/catalogue.md). @returns at most 110 characters; empty for a reserved word */
export function slugBase(name: string): string {
  // Transliteration takes time in proportion to the input.
  const slug = transliterate(name.slice(0, 2 * MAX_BASE_LENGTH)).replace(/[^a-z0-9]+/g, '-')
  const base = slug.replace(/^-/, '').slice(0, MAX_BASE_LENGTH).replace(/-$/, '')
  return RESERVED.has(base) ? '' : base
}

/** Whether staff may choose a slug. */
export function isSlug(slug: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) && !RESERVED.has(slug)
}
