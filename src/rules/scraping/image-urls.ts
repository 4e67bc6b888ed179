import { percentDecoded } from '../text.ts'

// Judges images by their URLs, without a download: which are copies of one picture, which copy is the largest, and
// whether it can be a product image.

/** How likely the place of a URL on the page makes it the large copy. */
export const RANKS = {
  link: 90,
  zoom: 80,
  srcset: 70,
  data: 60,
  structured: 50,
  meta: 40,
  src: 30,
  thumbnail: 10,
} as const

/** A URL of a picture. `rank`: one of RANKS; `width`: from `srcset`. */
export type Candidate = { url: URL; rank: number; width?: number }

/** Copies of one picture share the key. `size`: the longer side in pixels; Infinity when the URL names no size. */
type Variant = { key: string; size: number }

const IMAGE_FILE = /\.(?:jpe?g|jpe|jfif|png|webp|gif|avif)$/i
/** Formats that are not photographs, or that can't be stored. */
const OTHER_FILE = /\.(?:svgz?|ico|css|js|mp4|webm|pdf|html?)$/i

/** Pixels that words in URLs stand for; resized copies of unknown size have 900. */
const WORD_SIZES = [
  { word: /^(?:pico|icon)$/, size: 32 },
  { word: /^(?:thumb(?:nail)?s?|tn)$/, size: 150 },
  { word: /^(?:small|mini|previews?|compact)$/, size: 200 },
  { word: /^(?:medium|middle)$/, size: 400 },
  { word: /^(?:large|big|grande)$/, size: 1000 },
  { word: /^scaled$/, size: 2560 },
  { word: /^(?:originals?|master)$/, size: Number.POSITIVE_INFINITY },
]
const UNKNOWN_SIZE = 900

/** Folders of resized copies: `cache`, `thumbs`, `300x300`, `180_180_1`. */
const FOLDER =
  /^(?:(?:resize_)?cache|resized|thumbs?|thumbnails?|small|mini|previews?|medium|middle|large|big|originals?|c?\d{2,4}x\d{0,4}|\d{2,4}_\d{2,4}_\w{1,40})$/i
/** Marks in file names: `-150x150`, `_180x`, `_small`, `thumb_`. */
const NAME_MARKS = [
  /[-_]\d{1,5}x\d{0,5}(?:@[2-4]x)?$/,
  /[-_](?:thumb|thumbnail|tn|scaled)$|_(?:pico|icon|small|compact|medium|large|grande|master)$/i,
  /^(?:thumb|small|mini|preview|medium|large|big)_/i,
]
const QUERY_SIZES = new Set(['w', 'width', 'h', 'height', 'sw', 'sh', 'size', 'wid', 'hei'])
const QUERY_LOOKS = new Set(['q', 'quality', 'fit', 'crop', 'dpr', 'format', 'fm', 'auto', 'resize'])

/** Shown in place of a missing image. */
const PLACEHOLDER =
  /placeholder|(?:^|[-_ ])(?:no|not|net)[-_ ]?(?:photo|foto|image|img|pic|picture|available)s?(?:[-_ ]|$)|coming[-_ ]?soon|(?:^|[-_ ])нет[-_ ](?:фото|изображени)/i
/** Whole names only, since the words may be part of a product's name. */
const FILLER =
  /^(?:pixel|blank|spacer|transparent|1x1|loader|loading|spinner|preloader|lazy|default|noimage|nophoto|share|og|og[-_]?(?:image|default)|social|favicon|sprites?)$/i
const LOGO_WORD = /^logo(?:s|type)?$/i
const ICON = /^(?:icons?|ico)[-_]|[-_](?:icons?|ico|sprite)$|^icons?$/i
const JUNK_FOLDER = /\/(?:icons?|logos?|sprites?|emoji|smil(?:ey|ie)s|flags|favicons?|payments?)\//i

/** Parses an address without its credentials and fragment. @returns null for anything but http(s) */
export function parseWebUrl(address: string, base?: string): URL | null {
  const url = URL.parse(address, base)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

/** Whether a file name in the URL has an image's extension. */
export function isImageFile(url: URL): boolean {
  return [url.pathname, ...url.searchParams.values()].some((value) => IMAGE_FILE.test(value))
}

type Image = Candidate & Variant

/**
 * Picks the largest copy of each picture, in order of first appearance, without logos and others that can't be product
 * images.
 * @param groups the URLs of one element each; several may show the same picture
 */
export function distinctPictures(groups: Candidate[][], logos: URL[]): string[] {
  const logoKeys = new Set(logos.map((url) => variantOf(url).key))
  const pictures = new Set<{ best: Image }>()
  const byKey = new Map<string, { best: Image }>()
  for (const group of groups) {
    const images = group
      .map((candidate) => ({ ...candidate, ...variantOf(candidate.url) }))
      .filter(({ url, key }) => !isJunkImage(url) && !logoKeys.has(key))
    // The placeholder of a lazy image ranks lowest, so it doesn't decide which picture this is.
    const [main] = images.toSorted(byRank)
    if (main === undefined) continue
    const [largest = main] = images.filter(({ key }) => key === main.key).toSorted(bySize)
    const known = images.map(({ key }) => byKey.get(key)).find((picture) => picture !== undefined)
    const picture = known ?? { best: largest }
    if (bySize(largest, picture.best) < 0) picture.best = largest
    pictures.add(picture)
    for (const { key } of images) if (!byKey.has(key)) byKey.set(key, picture)
  }
  return [...pictures].map(({ best }) => best.url.href)
}

/** Compares copies of one file by the size in the URL, largest first; others by their place on the page. */
function bySize(a: Image, b: Image): number {
  return a.key === b.key && a.size !== b.size ? b.size - a.size : byRank(a, b)
}

function byRank(a: Image, b: Image): number {
  return b.rank - a.rank || (b.width ?? 0) - (a.width ?? 0)
}

/** Reads and removes the marks of size from a URL. */
function variantOf(url: URL): Variant {
  let size = Number.POSITIVE_INFINITY
  const remove = (mark: string): string => {
    size = Math.min(size, sizeOf(mark))
    return ''
  }
  const folders = percentDecoded(url.pathname).split('/')
  const [, stem = '', extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(folders.pop() ?? '') ?? []
  const path = folders.filter((folder) => !FOLDER.test(folder) || remove(folder) !== '')
  const name = NAME_MARKS.reduce((rest, mark) => rest.replace(mark, remove), stem)
  const query: string[] = []
  for (const [parameter, value] of url.searchParams) {
    const known = parameter.toLowerCase()
    if (QUERY_SIZES.has(known)) remove(value)
    else if (!QUERY_LOOKS.has(known)) query.push(`${parameter}=${value}`)
  }
  return { key: `${url.host}${path.join('/')}/${name}${extension}?${query.join('&')}`, size }
}

function sizeOf(mark: string): number {
  const sides = mark.match(/\d+/g)
  if (sides !== null) return Math.max(...sides.slice(0, 2).map(Number))
  const name = mark.replace(/[-_]/g, '').toLowerCase()
  return WORD_SIZES.find(({ word }) => word.test(name))?.size ?? UNKNOWN_SIZE
}

/** Whether a URL can't be a product image: another kind of file, a placeholder, an icon or a logo. */
function isJunkImage({ pathname }: URL): boolean {
  if (OTHER_FILE.test(pathname) || JUNK_FOLDER.test(pathname)) return true
  const stem = (percentDecoded(pathname).split('/').at(-1) ?? '').replace(/\.[a-z0-9]{1,5}$/i, '')
  return PLACEHOLDER.test(stem) || FILLER.test(stem) || ICON.test(stem) || isLogo(stem)
}

/** `logo`, `logo-white-2x` and `maker-logo` are logos; `mug-with-logo-red` is a mug. */
function isLogo(stem: string): boolean {
  const words = stem.split(/[^\p{L}]+/u).filter((word) => word.length > 1)
  return LOGO_WORD.test(words[0] ?? '') || (words.length <= 3 && words.some((word) => LOGO_WORD.test(word)))
}
