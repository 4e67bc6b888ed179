// Judges an image by its URL, without a download: which picture it is a copy of, how large it is, and whether it can be
// a product image.

/** Copies of one picture share the key. `size`: the longer side in pixels; Infinity when the URL names no size. */
export type Variant = { key: string; size: number }

const IMAGE_FILE = /\.(?:jpe?g|jpe|jfif|png|webp|gif|avif)$/i
/** Formats that are not photographs, or that can't be stored. */
const OTHER_FILE = /\.(?:svgz?|ico|css|js|mp4|webm|pdf|html?)$/i

const WORDS_BY_SIZE: [size: number, words: string][] = [
  [16, 'pico'],
  [32, 'icon'],
  [150, 'thumb thumbs thumbnail thumbnails tn'],
  [200, 'small mini preview previews'],
  [240, 'compact'],
  [400, 'medium middle'],
  // Resized copies of unknown size.
  [900, 'cache resized'],
  [1000, 'large big grande'],
  [2560, 'scaled'],
  [Number.POSITIVE_INFINITY, 'original originals master'],
]
const SIZE_OF_WORD = new Map(
  WORDS_BY_SIZE.flatMap(([size, words]) => words.split(' ').map((word) => [word, size] as const)),
)
const FOLDER_WORDS =
  /^(?:thumbs?|thumbnails?|small|mini|previews?|medium|middle|large|big|originals?|resized|cache)$/i
const FOLDER_SIZE = /^c?(\d{2,4})x(\d{0,4})$/
/** `/resize_cache/iblock/ab/180_180_1/` has the small copies of `/iblock/ab/`. */
const BITRIX_SIZE = /^(\d{1,4})_(\d{1,4})_[0-9a-z]{1,40}$/
const CACHE_HASH = /^[0-9a-f]{32}$/
const NAME_SIZE = /[-_](\d{1,5})x(\d{0,5})(?:_crop_[a-z]+)?(?:@([2-4])x)?$/
const NAME_HEIGHT = /[-_]x(\d{2,5})$/
const NAME_SUFFIX = /[-_](thumb|thumbnail|tn|scaled)$|_(pico|icon|small|compact|medium|large|grande|master)$/i
const NAME_PREFIX = /^(thumb|small|mini|preview|medium|large|big)_/i
/** Amazon: `41x._AC_SL1500_.jpg`. */
const NAME_OPTIONS = /\._[A-Z0-9_,]{1,100}_$/
const MAX_SIZE_MARKS = 2
const QUERY_SIZES = new Set(['w', 'width', 'h', 'height', 'sw', 'sh', 'size', 'wid', 'hei'])
const QUERY_LOOKS = new Set(['q', 'quality', 'fit', 'crop', 'dpr', 'format', 'fm', 'auto', 'resize'])
const QUERY_VERSIONS = new Set(['v', 'ver', 'version', 't', 'ts', '_'])

/** Shown in place of a missing image. */
const PLACEHOLDER =
  /placeholder|(?:^|[-_ ])(?:no|not|net)[-_ ]?(?:photo|foto|image|img|pic|picture|available)s?(?:[-_ ]|$)|coming[-_ ]?soon|(?:^|[-_ ])нет[-_ ](?:фото|изображени)/i
/** Whole names only, since the words may be part of a product's name. */
const FILLER =
  /^(?:pixel|blank|spacer|transparent|1x1|loader|loading|ajax[-_]?loader|spinner|preloader|lazy|default|noimage|nophoto|share|og|og[-_]?image|og[-_]?default|opengraph|social|favicon|sprites?|apple[-_]touch[-_]icon.{0,20})$/i
const LOGO_WORD = /^logo(?:s|type)?$/i
const ICON = /^(?:icons?|ico)[-_]|[-_](?:icons?|ico|sprite)$|^icons?$/i
const JUNK_FOLDER = /\/(?:icons?|logos?|sprites?|emoji|smil(?:ey|ie)s|flags|favicons?|payments?)\//i
const TRACKERS =
  /(?:^|\.)(?:mc\.yandex\.ru|facebook\.com|google-analytics\.com|googletagmanager\.com|top-fwz1\.mail\.ru|counter\.yadro\.ru|vk\.com)$/i

/** Whether a file name in the URL has an image's extension. */
export function isImageFile(url: URL): boolean {
  if (IMAGE_FILE.test(url.pathname)) return true
  return [...url.searchParams.values()].some((value) => IMAGE_FILE.test(value))
}

/** The decoded file name without its extension. */
function fileStem(url: URL): string {
  const file = decoded(url.pathname).split('/').at(-1) ?? ''
  return file.replace(/\.[a-z0-9]{1,5}$/i, '')
}

/** Reads and removes the marks of size from a URL. */
export function variantOf(url: URL): Variant {
  const sizes: number[] = []
  const folders = decoded(url.pathname).normalize('NFC').split('/')
  const file = folders.pop() ?? ''
  const resized = folders.includes('resize_cache')
  const path = folders.filter((folder, index) => {
    const size = (resized && BITRIX_SIZE.exec(folder)) || FOLDER_SIZE.exec(folder)
    if (size) sizes.push(Math.max(Number(size[1]), Number(size[2])))
    else if (FOLDER_WORDS.test(folder)) sizes.push(sizeOfWord(folder))
    else return folder !== 'resize_cache' && !(folders[index - 1] === 'cache' && CACHE_HASH.test(folder))
    return false
  })
  const dot = file.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [file.slice(0, dot), file.slice(dot).toLowerCase()] : [file, '']
  const name = withoutSizeMarks(stem, sizes)
  const query = withoutSizeParams(url, sizes)
  const key = `${url.host}${path.join('/')}/${name}${extension === '.jpeg' ? '.jpg' : extension}?${query}`
  return { key, size: Math.min(Number.POSITIVE_INFINITY, ...sizes) }
}

/** Removes the marks of size from a file name, of which there may be several. */
function withoutSizeMarks(stem: string, sizes: number[]): string {
  let name = stem.replace(NAME_OPTIONS, (options) => {
    sizes.push(...[...options.matchAll(/\d{2,4}/g)].slice(0, 1).map(([digits]) => Number(digits)))
    return ''
  })
  for (let marks = 0; marks < MAX_SIZE_MARKS; marks++) {
    name = name
      .replace(NAME_SIZE, (_, width: string, height: string, density: string | undefined) => {
        sizes.push(Math.max(Number(width), Number(height)) * Number(density ?? 1))
        return ''
      })
      .replace(NAME_HEIGHT, (_, height: string) => {
        sizes.push(Number(height))
        return ''
      })
      .replace(NAME_SUFFIX, (mark) => {
        sizes.push(sizeOfWord(mark.slice(1)))
        return ''
      })
  }
  return name.replace(NAME_PREFIX, (mark) => {
    sizes.push(sizeOfWord(mark.slice(0, -1)))
    return ''
  })
}

function withoutSizeParams(url: URL, sizes: number[]): string {
  const isFile = IMAGE_FILE.test(url.pathname)
  const rest: string[] = []
  for (const [name, value] of url.searchParams) {
    const lower = name.toLowerCase()
    if (QUERY_SIZES.has(lower)) sizes.push(...sizesIn(value))
    else if (!QUERY_LOOKS.has(lower) && !(isFile && QUERY_VERSIONS.has(lower))) rest.push(`${name}=${value}`)
  }
  return rest.sort().join('&')
}

function sizesIn(value: string): number[] {
  const [, width, height] = /^(\d{1,5})(?:x(\d{1,5}))?$/.exec(value) ?? []
  return width === undefined ? [sizeOfWord(value)] : [Math.max(Number(width), Number(height ?? 0))]
}

function sizeOfWord(word: string): number {
  return SIZE_OF_WORD.get(word.toLowerCase()) ?? 900
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a URL can't be a product image: another kind of file, a placeholder, an icon, a logo or a tracker. */
export function isJunkImage(url: URL): boolean {
  if (OTHER_FILE.test(url.pathname) || TRACKERS.test(url.hostname) || JUNK_FOLDER.test(url.pathname))
    return true
  const stem = fileStem(url)
  return PLACEHOLDER.test(stem) || FILLER.test(stem) || ICON.test(stem) || isLogo(stem)
}

/** `logo`, `logo-white-2x` and `maker-logo` are logos; `mug-with-logo-red` is a mug. */
function isLogo(stem: string): boolean {
  const words = stem.split(/[^\p{L}]+/u).filter((word) => word.length > 1)
  return LOGO_WORD.test(words[0] ?? '') || (words.length <= 3 && words.some((word) => LOGO_WORD.test(word)))
}
