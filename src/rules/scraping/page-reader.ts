import {
  dataCandidates,
  imageCandidates,
  RANKS,
  type Resolve,
  variationCandidates,
} from './element-images.ts'
import type { Attributes, Tag } from './html-tags.ts'
import { isImageFile } from './image-urls.ts'
import { announcesOthers, type Context, enter, isOwnGallery, ownRole } from './page-context.ts'
import type { Candidate } from './picture-set.ts'

/** How the URLs of a page are resolved. */
export type Addresses = {
  page: URL
  /** Without credentials and fragment; null for anything but http(s). */
  toUrl: Resolve
  /** The same for images: null also for the page's own URL, to which an empty `src` resolves. */
  resolve: Resolve
  /** Ignores the query. */
  isPage(url: URL | null): boolean
}

/** Several URLs of one picture. */
export type Group = Candidate[]

type PageImages = {
  /** JSON-LD. */
  scripts: string[]
  openGraph: Group[]
  /** `itemprop=image`. */
  properties: Group[]
  gallery: Group[]
  variations: Group[]
  /** Images without any hint at the product they show. */
  plain: { group: Group; main: boolean }[]
  logos: URL[]
}

type Link = {
  depth: number
  url: URL | null
  /** A picture, another page of this site, or anything else. */
  target: 'picture' | 'page' | 'unknown'
  /** The URLs of the picture inside. */
  group: Group
  inGallery: boolean
}

/** The limit of browsers. */
const MAX_DEPTH = 512
/** `h1` is the product's name. */
const HEADING = /^h[2-6]$/
const MAX_HEADING_LENGTH = 300
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Closed by the next one of their kind when the end tag is missing. */
const ENDED_BY_NEXT = new Set(['li', 'p', 'td', 'tr', 'dt', 'dd', 'option'])
/** More would be an attack. */
const MAX_CANDIDATES = 1000
const MAX_SOURCES = 20
const OPEN_GRAPH = ['og:image', 'og:image:url', 'og:image:secure_url']
const PICTURE_LINK = /fancybox|lightbox|zoom|magnific|swipebox|colorbox|photoswipe/i
const PAGE_FILE = /\/$|\.(?:html?|php|aspx?)$/i

/** Collects all images of a page that may show its product. */
export function collectImages(tags: Tag[], { page, toUrl, resolve, isPage }: Addresses): PageImages {
  const found: PageImages = {
    scripts: [],
    openGraph: [],
    properties: [],
    gallery: [],
    variations: [],
    plain: [],
    logos: [],
  }
  const frames: Context[] = []
  const openCounts = new Map<string, number>()
  let tooDeep = 0
  let link: Link | null = null
  let heading: string | null = null
  let sources: Group = []
  let images = 0
  const root: Context = { name: '', excluded: false, gallery: false, main: false }
  const around = (): Context => frames.at(-1) ?? root

  function openElement(name: string, attributes: Attributes): void {
    if (ENDED_BY_NEXT.has(name) && around().name === name) closeElement(name)
    if (frames.length >= MAX_DEPTH) {
      tooDeep += 1
      return
    }
    frames.push(enter(around(), name, attributes))
    openCounts.set(name, (openCounts.get(name) ?? 0) + 1)
  }

  function closeElement(name: string): void {
    if (tooDeep > 0) tooDeep -= 1
    else if ((openCounts.get(name) ?? 0) > 0) {
      for (
        let frame = frames.pop();
        frame !== undefined;
        frame = frame.name === name ? undefined : frames.pop()
      ) {
        openCounts.set(frame.name, (openCounts.get(frame.name) ?? 1) - 1)
        // A heading alone in its element announces the siblings of that element.
        if (frame.announcedAt === images) around().excluded = true
        if (link && frames.length < link.depth) closeLink()
      }
    }
  }

  function openLink(attributes: Attributes): void {
    if (link) closeLink()
    const { gallery, excluded } = around()
    const href = attributes.get('href') ?? ''
    const url = /^\s*#/.test(href) ? null : toUrl(href)
    const names = `${attributes.get('class')} ${attributes.get('rel')} ${[...attributes.keys()].join(' ')}`
    const isPictureLink = PICTURE_LINK.test(names) && !isPage(url) && !PAGE_FILE.test(url?.pathname ?? '')
    const target =
      url === null || isPage(url) ? 'unknown' : isImageFile(url) || isPictureLink ? 'picture' : 'page'
    link = {
      depth: frames.length,
      url,
      target: target === 'page' && url?.host !== page.host ? 'unknown' : target,
      group: excluded ? [] : dataCandidates(attributes, resolve),
      inGallery: !excluded && (gallery || isPictureLink),
    }
  }

  function closeLink(): void {
    const closed = link
    link = null
    if (!closed?.inGallery || closed.target === 'page' || found.gallery.length > MAX_CANDIDATES) return
    const { url, target, group } = closed
    found.gallery.push(url && target === 'picture' ? [{ url, rank: RANKS.link }, ...group] : group)
  }

  function addImage(attributes: Attributes): void {
    images += 1
    if (found.gallery.length + found.plain.length + found.logos.length > MAX_CANDIDATES) return
    const group = [...imageCandidates(attributes, resolve), ...sources]
    const { excluded, gallery, main } = around()
    const role = ownRole(attributes)
    if (role === 'logo' || (link?.target === 'page' && link.url?.pathname === '/')) {
      found.logos.push(...group.map(({ url }) => url))
    }
    const src = resolve(attributes.get('src') ?? '')
    // A link to `image.php?id=1&size=large` around `image.php?id=1&size=small`.
    if (link?.url && src && link.url.host === src.host && link.url.pathname === src.pathname)
      link.target = 'picture'
    if (role === 'logo' || role === 'icon' || excluded || link?.target === 'page') return
    const zoomed = group.some(({ rank }) => rank === RANKS.zoom)
    if (link && (link.target === 'picture' || link.group.length > 0)) {
      link.inGallery ||= link.target === 'picture' || gallery || zoomed
      link.group.push(...group)
    } else if (role === 'small' && !zoomed) return
    else if (gallery || zoomed || isOwnGallery(attributes)) found.gallery.push(group)
    else found.plain.push({ group, main })
  }

  /** Of other elements only large image files: thumbnails are also in the image inside. */
  function addData(attributes: Attributes): void {
    if (around().excluded || found.gallery.length + found.variations.length > MAX_CANDIDATES) return
    found.variations.push(...variationCandidates(attributes, resolve))
    if (!around().gallery) return
    const group = dataCandidates(attributes, resolve)
    const large = group.filter(({ url, rank }) => rank !== RANKS.thumbnail && isImageFile(url))
    if (large.length > 0) found.gallery.push(large)
  }

  function addMeta(attributes: Attributes): void {
    const content = resolve(attributes.get('content') ?? attributes.get('href') ?? '')
    if (content === null || found.openGraph.length + found.properties.length > MAX_CANDIDATES) return
    const property = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase()
    const candidate = { url: content, rank: RANKS.openGraph + (content.protocol === page.protocol ? 0.5 : 0) }
    const last = found.openGraph.at(-1)
    if (property === 'og:image' || (OPEN_GRAPH.includes(property) && !last)) found.openGraph.push([candidate])
    else if (OPEN_GRAPH.includes(property)) last?.push(candidate)
    else if (attributes.get('itemprop') === 'image' && !around().excluded) {
      found.properties.push([{ url: content, rank: RANKS.property }])
    }
  }

  function open(name: string, attributes: Attributes, content: string | undefined): void {
    if (name === 'script') {
      if (/^\s*application\/ld\+json/i.test(attributes.get('type') ?? '')) found.scripts.push(content ?? '')
      return
    }
    if (content !== undefined) return
    if (name === 'img') addImage(attributes)
    else if (name === 'meta' || name === 'link') {
      addMeta(attributes)
      if (/(?:^|\s)icon(?:\s|$)/i.test(attributes.get('rel') ?? '')) {
        found.logos.push(...[resolve(attributes.get('href') ?? '')].filter((url) => url !== null))
      }
    } else if (name === 'source') {
      if (around().name === 'picture' && sources.length < MAX_SOURCES)
        sources.push(...dataCandidates(attributes, resolve))
    } else if (!VOID.has(name)) {
      openElement(name, attributes)
      if (name === 'a') openLink(attributes)
      else addData(attributes)
      if (name === 'picture') sources = []
      if (HEADING.test(name)) heading = ''
    }
  }

  function close(name: string): void {
    if (name === 'picture') sources = []
    if (heading !== null && HEADING.test(name)) {
      closeElement(name)
      if (announcesOthers(heading)) {
        around().excluded = true
        around().announcedAt = images
      }
      heading = null
    } else closeElement(name)
  }

  function addText(text: string): void {
    if (heading !== null && heading.length < MAX_HEADING_LENGTH) heading += text.slice(0, MAX_HEADING_LENGTH)
  }

  for (const tag of tags) {
    if (tag.kind === 'open') open(tag.name, tag.attributes, tag.content)
    else if (tag.kind === 'close') close(tag.name)
    else addText(tag.text)
  }
  return found
}
