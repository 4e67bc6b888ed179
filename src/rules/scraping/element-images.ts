// Finds the image URLs in the attributes of an element, including those for scripts.

import { parseSrcset } from 'srcset'
import type { Attributes } from './html-tags.ts'
import { isImageFile } from './image-urls.ts'
import type { Candidate } from './picture-set.ts'

export type Resolve = (address: string) => URL | null

/** How likely the place of a URL makes it the large copy. */
export const RANKS = {
  link: 90,
  zoom: 80,
  srcset: 70,
  data: 60,
  structured: 50,
  openGraph: 45,
  property: 40,
  src: 30,
  thumbnail: 10,
} as const

const SRCSETS = ['srcset', 'data-srcset', 'data-lazy-srcset']
const MAX_SRCSET_LENGTH = 20_000
/** Shops invent their own attribute names, but use these words. */
const URL_NAME = /^data-.*(?:src|image|img|photo|picture|zoom|large|big|full|orig|hi-?res|lazy|url|thumb)/i
const OTHER_NAME = /title|alt|caption|name|width|height|count|index|id$|type|size|srcset|href|page|link/i
const ZOOM_NAME = /zoom|large|big|full|orig|hi-?res/i
const THUMBNAIL_NAME = /thumb|small|preview|placeholder/i
const MAX_SIZES = 50
const DYNAMIC = 'data-a-dynamic-image'
const MAX_VARIATIONS = 200
const VARIATIONS = 'data-product_variations'

/** All URLs of an image element. */
export function imageCandidates(attributes: Attributes, resolve: Resolve): Candidate[] {
  const src = resolve(attributes.get('src') ?? '')
  return [...dataCandidates(attributes, resolve), ...(src ? [{ url: src, rank: RANKS.src }] : [])]
}

/** The image URLs among an element's `data-` and `srcset` attributes. */
export function dataCandidates(attributes: Attributes, resolve: Resolve): Candidate[] {
  const found: Candidate[] = []
  for (const [name, value] of attributes) {
    if (SRCSETS.includes(name)) found.push(...srcsetCandidates(value, resolve))
    else if (name === DYNAMIC) found.push(...dynamicCandidates(value, resolve))
    else if (URL_NAME.test(name) && !OTHER_NAME.test(name)) {
      const url = /^[[{]/.test(value.trimStart()) ? null : resolve(value)
      if (url && (name === 'data-src' || isImageFile(url) || /[/?]/.test(value))) {
        found.push({ url, rank: rankOf(name) })
      }
    }
  }
  return found
}

function rankOf(name: string): number {
  if (THUMBNAIL_NAME.test(name)) return RANKS.thumbnail
  return ZOOM_NAME.test(name) ? RANKS.zoom : RANKS.data
}

function srcsetCandidates(srcset: string, resolve: Resolve): Candidate[] {
  const entries = parseSrcset(srcset.slice(0, MAX_SRCSET_LENGTH))
  return entries.slice(0, MAX_SIZES).flatMap(({ url: address, width, density }) => {
    const url = resolve(address)
    return url ? [{ url, rank: RANKS.srcset, width: width ?? density }] : []
  })
}

/** Amazon's JSON of URL to size: `{"https://…": [600, 600]}`. */
function dynamicCandidates(json: string, resolve: Resolve): Candidate[] {
  const sizes = parseJson(json)
  if (typeof sizes !== 'object' || sizes === null) return []
  return Object.entries(sizes)
    .slice(0, MAX_SIZES)
    .flatMap(([address, size]) => {
      const url = resolve(address)
      const sides = [size].flat().filter((side) => typeof side === 'number')
      return url ? [{ url, rank: RANKS.zoom, width: Math.max(0, ...sides.slice(0, 2)) }] : []
    })
}

type Variation = { image?: { [key: string]: unknown } | null }

/** The images of a product's variations, which WooCommerce lists as JSON in an attribute of the form. */
export function variationCandidates(attributes: Attributes, resolve: Resolve): Candidate[][] {
  const json = attributes.get(VARIATIONS)
  const variations = json === undefined ? undefined : parseJson(json)
  if (!Array.isArray(variations)) return []
  return variations.slice(0, MAX_VARIATIONS).map((variation: Variation | null) => {
    const image = variation?.image
    const addresses = [image?.full_src, image?.url, image?.src].filter((it) => typeof it === 'string')
    return addresses.flatMap((address) => {
      const url = resolve(address)
      return url ? [{ url, rank: RANKS.zoom }] : []
    })
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
