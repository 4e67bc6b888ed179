// Merges the URLs of a page into one per picture.

import type { Variant } from './image-urls.ts'

/** A URL of a picture. `rank`: how likely its place on the page makes it the large copy. */
export type Candidate = { url: URL; rank: number; width?: number }

/** Returns null for URLs that can't be product images. */
export type Classify = (url: URL) => Variant | null

type Image = Candidate & Variant
type Picture = { best: Image }

/**
 * Picks the largest copy of each picture, in order of first appearance.
 * @param groups the URLs of one element each; several may show the same picture
 */
export function distinctPictures(groups: Candidate[][], classify: Classify): string[] {
  const pictures = new Set<Picture>()
  const byKey = new Map<string, Picture>()
  for (const group of groups) {
    const images = group.flatMap((candidate) => {
      const variant = classify(candidate.url)
      return variant ? [{ ...candidate, ...variant }] : []
    })
    // The placeholder of a lazy image ranks lowest, so it doesn't decide which picture this is.
    const main = best(images, ranksHigher)
    if (main === undefined) continue
    const copies = images.filter(({ key }) => key === main.key)
    const largest = best(copies, isBetter) ?? main
    const known = images.map(({ key }) => byKey.get(key)).find((picture) => picture !== undefined)
    const picture = known ?? { best: largest }
    if (isBetter(largest, picture.best)) picture.best = largest
    pictures.add(picture)
    for (const { key } of images) if (!byKey.has(key)) byKey.set(key, picture)
  }
  return [...pictures].map((picture) => picture.best.url.href)
}

/** Copies of one file are compared by the size in the URL, others by their place on the page. */
function isBetter(a: Image, b: Image): boolean {
  return a.key === b.key && a.size !== b.size ? a.size > b.size : ranksHigher(a, b)
}

function ranksHigher(a: Image, b: Image): boolean {
  return a.rank === b.rank ? (a.width ?? 0) > (b.width ?? 0) : a.rank > b.rank
}

function best(images: Image[], isAhead: (a: Image, b: Image) => boolean): Image | undefined {
  const [first, ...others] = images
  return others.reduce((ahead, one) => (ahead && isAhead(one, ahead) ? one : ahead), first)
}
