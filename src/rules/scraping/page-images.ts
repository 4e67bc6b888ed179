import { RANKS } from './element-images.ts'
import { readTags, type Tags } from './html-tags.ts'
import { variantOf } from './image-variants.ts'
import { isJunkImage } from './junk.ts'
import { type Addresses, type Group, readPage } from './page-reader.ts'
import { distinctPictures, type Look } from './picture-set.ts'
import { readStructuredData } from './structured-data.ts'

const MAX_IMAGES = 50
const MAX_URL_LENGTH = 2000

/**
 * The pictures of the product that a page shows (contract section 9), the largest copy of each, in page order: from
 * JSON-LD, `og:image` and the gallery, without logos, icons, placeholders and other products.
 * @param pageUrl where the page was found, after redirects
 * @returns absolute http(s) addresses, at most 50
 */
export function findPageImages(html: string, pageUrl: string): string[] {
  const page = new URL(pageUrl)
  const tags = readTags(html)
  const addresses = createAddresses(page, findBase(tags, page))
  const found = readPage(tags, addresses)
  const structured = readStructuredData(found.scripts, (address) =>
    addresses.isPage(addresses.toUrl(address)),
  )
  const groupsOf = (texts: string[]): Group[] =>
    texts.flatMap((text) => {
      // Many shops write into JSON what they escaped for HTML.
      const url = addresses.resolve(text.replaceAll('&amp;', '&'))
      return url ? [[{ url, rank: RANKS.structured }]] : []
    })

  const logos = [
    ...found.logos,
    ...groupsOf(structured.logos).flatMap((group) => group.map(({ url }) => url)),
  ]
  const look = createLook(new Set(logos.map((url) => variantOf(url).key)))
  const urlsOf = (groups: Group[]): string[] => distinctPictures(groups, look).slice(0, MAX_IMAGES)

  const described = [...groupsOf(structured.images), ...found.openGraph, ...found.properties]
  const gallery = [...found.gallery, ...found.variations]
  const all = urlsOf([...described, ...gallery])
  const shown = urlsOf(gallery)
  // A gallery that has them all says their order best.
  if (shown.length > 0) return shown.length === all.length ? urlsOf([...gallery, ...described]) : all
  if (urlsOf(groupsOf(structured.images)).length > 0) return all
  const main = found.plain.filter((image) => image.main)
  const plain = main.length > 0 || all.length > 0 ? main : found.plain
  return urlsOf([...described, ...plain.map(({ group }) => group)])
}

/** Each address is looked at once, however often the page has it. */
function createLook(logos: ReadonlySet<string>): Look {
  const seen = new Map<string, ReturnType<Look>>()
  return (url) => {
    const held = seen.get(url.href)
    if (held !== undefined) return held
    const variant = variantOf(url)
    const looked = isJunkImage(url) || logos.has(variant.key) ? null : variant
    seen.set(url.href, looked)
    return looked
  }
}

function createAddresses(page: URL, base: URL): Addresses {
  const toUrl = (text: string): URL | null => {
    const trimmed = text.trim()
    if (trimmed === '' || trimmed.length > MAX_URL_LENGTH || !URL.canParse(trimmed, base.href)) return null
    const url = new URL(trimmed, base)
    if (!['http:', 'https:'].includes(url.protocol)) return null
    url.username = ''
    url.password = ''
    url.hash = ''
    return url.href.length > MAX_URL_LENGTH ? null : url
  }
  return {
    page,
    toUrl,
    isPage: (url) => url?.host === page.host && url.pathname === page.pathname,
    resolve(text) {
      const url = toUrl(text)
      const isThePage = url?.host === page.host && url.pathname + url.search === page.pathname + page.search
      return isThePage ? null : url
    },
  }
}

function findBase(tags: Tags, page: URL): URL {
  for (const tag of tags) {
    const href = tag.kind === 'open' && tag.name === 'base' ? tag.attributes.get('href')?.trim() : undefined
    if (!href || !URL.canParse(href, page.href)) continue
    const base = new URL(href, page)
    return ['http:', 'https:'].includes(base.protocol) ? base : page
  }
  return page
}
