import { createRequire } from 'node:module'
import type slugify from '@sindresorhus/slugify'
import { invalid } from '../../errors.ts'

const require = createRequire(import.meta.url)
let loaded: typeof slugify | undefined

/** Loaded with the first slug: the tables of all languages take 30 ms and 10 MB, and a start needs none of them. */
function transliterate(text: string): string {
  if (loaded === undefined) {
    const library: { default: typeof slugify } = require('@sindresorhus/slugify')
    loaded = library.default
  }
  return loaded(text, { decamelize: false })
}

const LONGEST = 120
/** Room for `-2`, `-3`… behind the base. */
const MAX_BASE_LENGTH = 110

/** Last parts of addresses that mean something else, here or in a storefront that shows slugs in its own. */
const RESERVED = new Set(
  'actions active admin api by-slug edit facets homepage new reorder search sitemap suggest tree'.split(' '),
)

export type SlugParts = { slug: string; base: string; suffix: number }

/**
 * Transliterates a name to `[a-z0-9-]`, at most 110 characters (contract section 4). Empty when nothing of it is left,
 * or only a reserved word.
 */
export function slugBase(name: string): string {
  // The transliteration's time grows with the input, and what is beyond the limit would be cut anyway.
  const slug = transliterate(name.slice(0, 2 * LONGEST)).replace(/[^a-z0-9-]+/g, '')
  const base = slug.slice(0, MAX_BASE_LENGTH).replace(/^-+|-+$/g, '')
  return RESERVED.has(base) ? '' : base
}

/** The base itself, or with `-2`, `-3`… behind it. */
export function slugWithSuffix(base: string, suffix: number): SlugParts {
  return { slug: suffix === 1 ? base : `${base}-${suffix}`, base, suffix }
}

/** A slug that staff chose. @throws AppError 400 */
export function readSlug(slug: string): SlugParts {
  const wrong = slugFault(slug)
  if (wrong !== null) throw invalid({ path: 'slug', message: wrong })
  return { slug, base: slug, suffix: 1 }
}

function slugFault(slug: string): string | null {
  if (slug.length < 1 || slug.length > LONGEST) return `must have 1 to ${LONGEST} characters`
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) {
    return 'must be lower-case letters a-z and digits, with single dashes between them'
  }
  return RESERVED.has(slug) ? 'is reserved' : null
}
