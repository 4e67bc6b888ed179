import type { Variant } from './image-variants.ts'

/** An address of a picture, and how much its place on the page says that it is the large one. */
export type Candidate = { url: URL; rank: number; width?: number | undefined }

/** Which picture an address means; null when it is none of a product. */
export type Look = (url: URL) => Variant | null

type Known = Candidate & Variant
type Picture = { best: Known }

/**
 * One address for each picture, the largest, in the order in which the pictures are met first.
 * @param groups each holds the addresses of one picture, of which others may have some too
 */
export function distinctPictures(groups: Candidate[][], look: Look): string[] {
  const pictures: Picture[] = []
  const byKey = new Map<string, Picture>()
  for (const group of groups) {
    // A placeholder in `src` says nothing of the picture that is to take its place.
    const known = group.flatMap((candidate) => {
      const variant = look(candidate.url)
      return variant ? [{ ...candidate, ...variant }] : []
    })
    const told = best(known, tellsMore)
    if (told === undefined) continue
    const copies = known.filter(({ key }) => key === told.key)
    const found = best(copies, isBetter) ?? told
    const held = known.map(({ key }) => byKey.get(key)).find((picture) => picture !== undefined)
    const picture = held ?? { best: found }
    if (held === undefined) pictures.push(picture)
    else if (isBetter(found, held.best)) held.best = found
    for (const { key } of known) if (!byKey.has(key)) byKey.set(key, picture)
  }
  return pictures.map((picture) => picture.best.url.href)
}

/** Between copies of one file the name decides; between others, what the page says of them. */
function isBetter(a: Known, b: Known): boolean {
  return a.key === b.key && a.size !== b.size ? a.size > b.size : tellsMore(a, b)
}

function tellsMore(a: Known, b: Known): boolean {
  return a.rank === b.rank ? (a.width ?? 0) > (b.width ?? 0) : a.rank > b.rank
}

function best(known: Known[], isAhead: (a: Known, b: Known) => boolean): Known | undefined {
  const [first, ...others] = known
  return others.reduce((ahead, one) => (ahead && isAhead(one, ahead) ? one : ahead), first)
}
