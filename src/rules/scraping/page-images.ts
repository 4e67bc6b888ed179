import { type HTMLElement, parse } from 'node-html-parser'
import { type Candidate, distinctPictures, parseWebUrl, RANKS } from './image-urls.ts'
import { findLogos, type Resolve, readElements } from './page-elements.ts'

/** `url`: after redirects. */
export type Page = { html: string; url: string }

/** As browsers close what a page leaves open; galleries in `noscript` count. */
const OPTIONS = {
  fixNestedATags: true,
  parseNoneClosedTags: true,
  closeAllByClosing: true,
  blockTextElements: { script: true, style: true },
}
/** The parser finds the end of a script only as `</script>`, and takes quadratic time with its own `lowerCaseTagName`. */
const TAG = /<\/[a-z]\w*\s*|<[a-z]\w*/gi
const MAX_IMAGES = 50
const MAX_URL_LENGTH = 2000
const JSON_LD = /^\s*application\/ld\+json/i
/** Types of JSON-LD that are products. */
const PRODUCT = /(?:^|[/#:])(?:\w*Product|ProductModel|ProductGroup|SomeProducts|Vehicle|Car|Book)$/
const OPEN_GRAPH = /^og:image(?::url|:secure_url)?$/i

/** `urls`: absolute http(s) ones, at most 50. `fault`: what is wrong with the page's JSON-LD, or null. */
export type PageImages = { urls: string[]; fault: string | null }

/**
 * Finds the images of a page's product (docs/scraping.md), the largest copy of each, in page order: from JSON-LD,
 * `og:image` and the gallery, without logos, icons, placeholders and other products.
 */
export function findPageImages({ html, url }: Page): PageImages {
  const page = new URL(url)
  const document = parse(normalizeTags(html), OPTIONS)
  dropInheritedAttributes(document)
  const resolve = createResolve(page, findBase(document, page))
  // Many shops escape URLs in JSON as in HTML.
  const resolveJson = (address: string) => resolve(address.replaceAll('&amp;', '&'))
  const logos = findLogos(document, resolve).filter((url) => url !== null)
  const urlsOf = (groups: Candidate[][]) => distinctPictures(groups, logos).slice(0, MAX_IMAGES)

  const { addresses, fault } = readStructuredData(document, page)
  const inJson = toGroups(addresses.map(resolveJson), RANKS.structured)
  const described = [...inJson, ...metaImages(document, resolve)]
  const gallery = readElements(document, page, resolve)
  const all = urlsOf([...described, ...gallery])
  // A complete gallery gives the best order.
  return { urls: urlsOf(gallery).length === all.length ? urlsOf([...gallery, ...described]) : all, fault }
}

/** Writes tags as the parser expects them. It would search the rest of the page for the end of each unclosed comment. */
function normalizeTags(html: string): string {
  const lastEnd = html.lastIndexOf('-->') + 1
  const closed = html.slice(0, lastEnd) + html.slice(lastEnd).replaceAll('<!--', '')
  return closed.replace(TAG, (tag) => tag.trimEnd().toLowerCase())
}

/** The parser takes the members of objects for the values of attributes with their names, such as `constructor`. */
function dropInheritedAttributes(document: HTMLElement): void {
  for (const { rawAttributes } of document.getElementsByTagName('*')) {
    for (const name of Object.keys(rawAttributes)) {
      if (typeof rawAttributes[name] === 'function') delete rawAttributes[name]
    }
  }
}

/** `og:image` and `itemprop=image`. */
function metaImages(document: HTMLElement, resolve: Resolve): Candidate[][] {
  const metas = document
    .querySelectorAll('meta, link')
    .filter(
      ({ attrs: { property, name, itemprop } }) => itemprop === 'image' || OPEN_GRAPH.test(property ?? name ?? ''),
    )
  return toGroups(
    metas.map(({ attrs: { content, href } }) => resolve(content ?? href ?? '')),
    RANKS.meta,
  )
}

/** Prefers https where a page names both. */
function toGroups(urls: (URL | null)[], rank: number): Candidate[][] {
  return urls.flatMap((url) => (url === null ? [] : [[{ url, rank: url.protocol === 'https:' ? rank + 0.5 : rank }]]))
}

/** Returns null also for the page's own URL, to which an empty `src` resolves. */
function createResolve(page: URL, base: URL): Resolve {
  return (address) => {
    const text = address.trim()
    const url = text === '' ? null : parseWebUrl(text, base.href)
    if (url === null || url.href.length > MAX_URL_LENGTH) return null
    const isPage = url.host === page.host && url.pathname + url.search === page.pathname + page.search
    return isPage ? null : url
  }
}

function findBase(document: HTMLElement, page: URL): URL {
  const hrefs = document.getElementsByTagName('base').map(({ attrs }) => attrs.href?.trim())
  const href = hrefs.find((href) => href && URL.canParse(href, page.href)) ?? ''
  return parseWebUrl(href, page.href) ?? page
}

type Node = { [key: string]: unknown }

/**
 * Reads the image URLs in the JSON-LD of a page. Of several products it takes the one with the page's URL, or else the first.
 * @returns `fault`: why the first script that can't be parsed can't
 */
function readStructuredData(document: HTMLElement, page: URL): { addresses: string[]; fault: string | null } {
  let fault: string | null = null
  const nodes: Node[] = []
  for (const { attrs, rawText } of document.getElementsByTagName('script')) {
    if (!JSON_LD.test(attrs.type ?? '')) continue
    try {
      nodes.push(...nodesOf(parseJsonLd(rawText)))
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      fault ??= error.message
    }
  }
  const byId = new Map(nodes.filter((node) => '@id' in node).map((node) => [node['@id'], node]))
  const products = nodes.filter(isProduct)
  const isOfPage = (address: unknown) => {
    const url = typeof address === 'string' ? URL.parse(address, page.href) : null
    return url?.host === page.host && url.pathname === page.pathname
  }
  const own = products.find(({ url }) => isOfPage(url)) ?? products[0]
  const variants = own ? [own, ...nodesOf(own.hasVariant)] : []
  return { addresses: variants.flatMap(({ image }) => addressesOf(image, byId)), fault }
}

/** What pages write around JSON: comments, and the marks of CDATA sections and HTML comments. */
const NOISE = /"(?:[^"\\]|\\.)*"?|\/\*.*?(?:\*\/|$)|\/\/[^\n]*|<!--|-->|<!\[CDATA\[|\]\]>|;/gs
const TRAILING_COMMA = /"(?:[^"\\]|\\.)*"?|,(?=\s*[}\]])/gs

/** Parses JSON as pages write it, also with raw line breaks in its texts. @throws SyntaxError */
function parseJsonLd(text: string): unknown {
  const json = text.replace(NOISE, (part) => (part.startsWith('"') ? part.replace(/\p{Cc}/gu, ' ') : ' '))
  return JSON.parse(json.replace(TRAILING_COMMA, (part) => (part === ',' ? ' ' : part)))
}

/** Nodes in page order. Other properties than these, such as accessories, lead to other products. */
function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  return isNode(value) ? [value, ...nodesOf(value['@graph']), ...nodesOf(value.mainEntity)] : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

function isProduct(node: Node): boolean {
  return [node['@type']].flat().some((type) => typeof type === 'string' && PRODUCT.test(type))
}

/** Reads a URL, an ImageObject, a reference to one by `@id`, or a list of these. */
function addressesOf(value: unknown, byId: ReadonlyMap<unknown, Node>): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => addressesOf(one, byId))
  if (!isNode(value)) return typeof value === 'string' ? [value] : []
  const { contentUrl, url } = { ...byId.get(value['@id']), ...value }
  return [contentUrl ?? url].filter((address) => typeof address === 'string')
}
