import anyAscii from 'any-ascii'
import { invalid } from '../../errors.ts'

function transliterate(text: string): string {
  const words = text.normalize().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
  // Soft and hard signs become apostrophes.
  return anyAscii(words).replace(/['"`]/g, '').toLowerCase()
}

const MAX_LENGTH = 120
/** Leaves room for a suffix. */
const MAX_BASE_LENGTH = 110

/** Path segments with another meaning, here or in a storefront. */
const RESERVED = new Set(
  'actions active admin api by-slug edit facets homepage new reorder search sitemap suggest tree'.split(' '),
)

export type SlugParts = { slug: string; base: string; suffix: number }

/** Transliterates a name to `[a-z0-9-]` (contract section 4). @returns at most 110 characters; empty for a reserved word */
export function slugBase(name: string): string {
  // Transliteration takes time in proportion to the input.
  const slug = transliterate(name.slice(0, 2 * MAX_LENGTH)).replace(/[^a-z0-9]+/g, '-')
  const base = slug.replace(/^-/, '').slice(0, MAX_BASE_LENGTH).replace(/-$/, '')
  return RESERVED.has(base) ? '' : base
}

/** Checks a slug that staff chose. @throws AppError 400 */
export function readSlug(slug: string): SlugParts {
  const message = slugFault(slug)
  if (message !== null) throw invalid({ path: 'slug', message })
  return { slug, base: slug, suffix: 1 }
}

function slugFault(slug: string): string | null {
  if (slug.length < 1 || slug.length > MAX_LENGTH) return `must have 1 to ${MAX_LENGTH} characters`
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) {
    return 'must be lower-case letters a-z and digits, with single dashes between them'
  }
  return RESERVED.has(slug) ? 'is reserved' : null
}
