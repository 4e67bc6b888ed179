import { RANKS } from './element-images.ts'
import { readTags, type Tag } from './html-tags.ts'
import { isJunkImage, type Variant, variantOf } from './image-urls.ts'
import { type Addresses, collectImages, type Group } from './page-reader.ts'
import { type Classify, distinctPictures } from './picture-set.ts'
import { readStructuredData } from './structured-data.ts'

const MAX_IMAGES = 50
const MAX_URL_LENGTH = 2000

/**
 * Finds the images of a page's product (contract section 9), the largest copy of each, in page order: from JSON-LD,
 * `og:image` and the gallery, without logos, icons, placeholders and other products.
 * @param pageUrl after redirects
 * @returns absolute http(s) URLs, at most 50
 */
export function findPageImages(html: string, pageUrl: string): string[] {
  const page = new URL(pageUrl)
  const tags = readTags(html)
  const addresses = createAddresses(page, findBase(tags, page))
  const found = collectImages(tags, addresses)
  const structured = readStructuredData(found.scripts, (address) =>
    addresses.isPage(addresses.toUrl(address)),
  )
  const groupsOf = (texts: string[]): Group[] =>
    texts.flatMap((text) => {
      // Many shops escape URLs in JSON as in HTML.
      const url = addresses.resolve(text.replaceAll('&amp;', '&'))
      return url ? [[{ url, rank: RANKS.structured }]] : []
    })

  const logos = [
    ...found.logos,
    ...groupsOf(structured.logos).flatMap((group) => group.map(({ url }) => url)),
  ]
  const classify = createClassify(new Set(logos.map((url) => variantOf(url).key)))
  const urlsOf = (groups: Group[]): string[] => distinctPictures(groups, classify).slice(0, MAX_IMAGES)

  const described = [...groupsOf(structured.images), ...found.openGraph, ...found.properties]
  const gallery = [...found.gallery, ...found.variations]
  const all = urlsOf([...described, ...gallery])
  const shown = urlsOf(gallery)
  // A complete gallery gives the best order.
  if (shown.length > 0) return shown.length === all.length ? urlsOf([...gallery, ...described]) : all
  if (urlsOf(groupsOf(structured.images)).length > 0) return all
  const main = found.plain.filter((image) => image.main)
  const plain = main.length > 0 || all.length > 0 ? main : found.plain
  return urlsOf([...described, ...plain.map(({ group }) => group)])
}

/** Classifies each URL once, however often the page repeats it. */
function createClassify(logos: ReadonlySet<string>): Classify {
  const classified = new Map<string, Variant | null>()
  return (url) => {
    const known = classified.get(url.href)
    if (known !== undefined) return known
    const variant = variantOf(url)
    const result = isJunkImage(url) || logos.has(variant.key) ? null : variant
    classified.set(url.href, result)
    return result
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
      const isPageItself =
        url?.host === page.host && url.pathname + url.search === page.pathname + page.search
      return isPageItself ? null : url
    },
  }
}

function findBase(tags: Tag[], page: URL): URL {
  for (const tag of tags) {
    const href = tag.kind === 'open' && tag.name === 'base' ? tag.attributes.get('href')?.trim() : undefined
    if (!href || !URL.canParse(href, page.href)) continue
    const base = new URL(href, page)
    return ['http:', 'https:'].includes(base.protocol) ? base : page
  }
  return page
}
