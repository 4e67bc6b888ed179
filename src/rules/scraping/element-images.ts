// Finds the image URLs in the attributes of an element, including those for scripts.

import { parseSrcset } from 'srcset'
import { isImageFile } from './image-urls.ts'
import type { Candidate } from './picture-set.ts'

export type Attributes = { [name: string]: string }
/** Resolves an address of the page; null for anything but another http(s) URL. */
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

/** Shops invent their own attribute names, but use these words. */
const URL_NAME = /^data-.*(?:src|image|img|photo|picture|zoom|large|big|full|orig|hi-?res|lazy|url|thumb)/i
const OTHER_NAME = /title|alt|caption|name|width|height|count|index|id$|type|size|href|page|link/i
const ZOOM_NAME = /zoom|large|big|full|orig|hi-?res/i
const MAX_SRCSET_LENGTH = 20_000
const THUMBNAIL_NAME = /thumb|small|preview|placeholder/i

/** The image URLs among an element's `src`, `srcset` and `data-` attributes. */
export function imageCandidates(attributes: Attributes, resolve: Resolve): Candidate[] {
  return Object.entries(attributes).flatMap(([name, value]): Candidate[] => {
    if (/srcset$/i.test(name)) return srcsetCandidates(value, resolve)
    if (name !== 'src' && (!URL_NAME.test(name) || OTHER_NAME.test(name))) return []
    const url = /^\s*[[{]/.test(value) ? null : resolve(value)
    const isAddress = url !== null && (name.endsWith('src') || isImageFile(url) || /[/?]/.test(value))
    return isAddress ? [{ url, rank: rankOf(name) }] : []
  })
}

function rankOf(name: string): number {
  if (name === 'src') return RANKS.src
  if (THUMBNAIL_NAME.test(name)) return RANKS.thumbnail
  return ZOOM_NAME.test(name) ? RANKS.zoom : RANKS.data
}

function srcsetCandidates(srcset: string, resolve: Resolve): Candidate[] {
  return parseSrcset(srcset.slice(0, MAX_SRCSET_LENGTH)).flatMap(({ url: address, width, density }) => {
    const url = resolve(address)
    return url ? [{ url, rank: RANKS.srcset, width: width ?? density }] : []
  })
}
