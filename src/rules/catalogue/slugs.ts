import slugify from '@sindresorhus/slugify'

const LONGEST = 120
/** Room for `-2`, `-3`… behind the base. */
const LONGEST_BASE = 110

export type SlugParts = { slug: string; base: string; suffix: number }

/** Transliterates a name to `[a-z0-9-]`, at most 110 characters; empty when nothing of it is left (contract section 4). */
export function slugBase(name: string): string {
  // The transliteration's time grows with the input, and what is beyond the limit would be cut anyway.
  const slug = slugify(name.slice(0, 2 * LONGEST), { decamelize: false }).replace(/[^a-z0-9-]+/g, '')
  return slug.slice(0, LONGEST_BASE).replace(/^-+|-+$/g, '')
}

/** The base itself, or with `-2`, `-3`… behind it. */
export function slugWithSuffix(base: string, suffix: number): SlugParts {
  return { slug: suffix === 1 ? base : `${base}-${suffix}`, base, suffix }
}
