// Collects the images of a page's elements, judging by tags, class names and headings which may show its product.

import type { HTMLElement } from 'node-html-parser'
import { parseSrcset } from 'srcset'
import { type Candidate, isImageFile, RANKS } from './image-urls.ts'

type Attributes = { [name: string]: string }
/** Resolves an address of the page; null for anything but another http(s) URL. */
export type Resolve = (address: string) => URL | null

/** What the enclosing elements tell. */
type Place = {
  /** An element named like a gallery. */
  inGallery: boolean
  /** The picture that the enclosing link leads to. */
  link: Candidate[]
  /** Those of the `picture` that is the parent. */
  sources: HTMLElement[]
}

/** The limit of browsers. */
const MAX_DEPTH = 512
/** More would be an attack. */
const MAX_CANDIDATES = 1000
const MAX_SOURCES = 20
const MAX_LOGOS = 100
/** They enclose the whole page, so their classes don't describe a part of it. */
const WHOLE = new Set(['html', 'body', 'main', 'article', 'form', 'table', 'tbody'])
const GALLERY =
  /galler|thumb|fancybox|lightbox|zoom|carousel|slick|swiper|slider|splide|flickity|fotorama|photo|picture|image|img|media|foto|фото|изображ/i
const OTHERS =
  /(?:^|[-_\s])(?:related|recommend(?:ed|ations?|s)?|similar|up-?sells?|cross-?sells?|bestsellers?|also-?(?:bought|viewed|like)|recently|viewed|analogs?|accessories|banners?|payments?|socials?|avatars?|logos?|minicart|mini-cart)(?=$|[-_\s])/i
/** Only as whole class names: `product-header` and `thumbs-nav` are harmless. */
const OTHER_NAMES =
  /(?:^|\s)(?:header|(?:site|page|main|top)-header|footer|(?:site|page|main)-footer|nav|navbar|navigation|main-nav|site-nav|(?:top|main)?-?menu|breadcrumbs?|sidebar|column-(?:left|right)|reviews?|product-reviews|comments?|testimonials?|brands?|product-brand|manufacturer|share|rating|stars)(?=\s|$)/i
/** `h1` is the product's name. */
const HEADING = /^h[2-6]$/
/** Only at the start of a heading: "Картридж, аналог" is a product's name. */
const OTHER_HEADING =
  /^\s*(?:(?:мы|наши|также|ещё|еще)\s+)?(?:рекоменд|похожи|сопутств|с этим |вместе с|покупа|вас |вам |вы (?:смотр|просм|недавно)|недавно|аналог(?:и|ичн)|другие товары|related|similar|recommend|you (?:may|might)|customers|people also|recently|frequently)/i
const PRODUCT_IMAGE = /galler|thumb|zoom|fancybox|lightbox|post-image|photo|product/i
const ICON_IMAGE = /(?:^|[-_\s])(?:icons?|flag|emoji|badge|sticker|captcha|rating|star)(?=$|[-_\s])/i
const LOGO = /(?:^|[-_\s])logo(?=$|[-_\s])/i
const MIN_IMAGE_PX = 33
/** Shops invent their own attribute names, but use these words. */
const URL_NAME = /^data-.*(?:src|image|img|photo|picture|zoom|large|big|full|orig|hi-?res|lazy|url|thumb)/i
const OTHER_NAME = /title|alt|caption|name|width|height|count|index|id$|type|size|href|page|link/i
const ZOOM_NAME = /zoom|large|big|full|orig|hi-?res/i
const MAX_SRCSET_LENGTH = 20_000
const THUMBNAIL_NAME = /thumb|small|preview|placeholder/i

/**
 * Collects the images of the gallery, in page order, and those of variations of the product.
 * @returns groups of URLs, each of one picture
 */
export function readElements(document: HTMLElement, page: URL, resolve: Resolve): Candidate[][] {
  const gallery: Candidate[][] = []
  const variations: Candidate[][] = []
  let images = 0

  /** @returns whether a heading of other products is the first here, which announces the siblings of the parent */
  function visit(parent: HTMLElement, around: Place, depth = 0): boolean {
    const before = images
    for (const element of parent.children) {
      if (HEADING.test(element.localName) && OTHER_HEADING.test(element.text)) {
        return images === before
      }
      const place = enter(around, element)
      if (place === null || depth === MAX_DEPTH || gallery.length > MAX_CANDIDATES) continue
      addElement(element, place)
      if (visit(element, place, depth + 1)) return false
    }
    return false
  }

  /** @returns null for what doesn't show the product: the page's frame, other products, links to other pages */
  function enter(around: Place, element: HTMLElement): Place | null {
    const { localName: name, attrs } = element
    const names = WHOLE.has(name) ? '' : namesOf(attrs)
    const isImage = name === 'img'
    const inGallery = around.inGallery || (isImage ? PRODUCT_IMAGE : GALLERY).test(names)
    const isFrame = name === 'footer' || (!inGallery && ['header', 'nav', 'aside'].includes(name))
    if (isFrame || OTHERS.test(names) || OTHER_NAMES.test(names)) return null
    const sources = name === 'picture' ? sourcesOf(element) : isImage ? around.sources : []
    if (name !== 'a') return { inGallery, link: around.link, sources }
    const link = readLink(attrs)
    return link && { inGallery, link, sources }
  }

  /** @returns the picture that a link leads to; null when it leads to another page of this site */
  function readLink(attributes: Attributes): Candidate[] | null {
    const data = imageCandidates(attributes, resolve)
    const url = resolve(attributes.href ?? '')
    if (url === null || url.pathname === page.pathname) return data
    if (isImageFile(url)) return [{ url, rank: RANKS.link }, ...data]
    return url.host === page.host ? null : data
  }

  function addElement(element: HTMLElement, place: Place): void {
    const { localName: name, attrs } = element
    variations.push(...variationImages(attrs['data-product_variations'], resolve))
    if (name === 'img') addImage(element, place)
    else if (name === 'a' && place.inGallery) addToGallery(place.link)
    else if (place.inGallery && name !== 'source') {
      // Only large image files: thumbnails are also in the image inside.
      const large = imageCandidates(attrs, resolve).filter(
        ({ url, rank }) => rank !== RANKS.thumbnail && isImageFile(url),
      )
      addToGallery(large)
    }
  }

  /** Elements without images don't count towards the limit. */
  function addToGallery(group: Candidate[]): void {
    if (group.length > 0) gallery.push(group)
  }

  function addImage(image: HTMLElement, { inGallery, link, sources }: Place): void {
    images += 1
    const { attrs } = image
    if (ICON_IMAGE.test(namesOf(attrs))) return
    const group = [image, ...sources].flatMap((element) => imageCandidates(element.attrs, resolve))
    const zoomed = link.length > 0 || group.some(({ rank }) => rank === RANKS.zoom)
    if (isTiny(attrs) && !zoomed) return
    if (inGallery || zoomed || attrs.itemprop === 'image') addToGallery([...link, ...group])
  }

  visit(document, { inGallery: false, link: [], sources: [] })
  return [...gallery, ...variations]
}

function sourcesOf(picture: HTMLElement): HTMLElement[] {
  return picture.children.filter(({ localName }) => localName === 'source').slice(0, MAX_SOURCES)
}

/** The image URLs among an element's `src`, `srcset` and `data-` attributes. */
function imageCandidates(attributes: Attributes, resolve: Resolve): Candidate[] {
  return Object.entries(attributes).flatMap(([name, value]): Candidate[] => {
    if (/srcset$/i.test(name)) return srcsetCandidates(value, resolve)
    if (name === 'data-a-dynamic-image') return sizedCandidates(value, resolve)
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

/** Amazon's `{"<URL>": [width, height], …}`. */
function sizedCandidates(json: string, resolve: Resolve): Candidate[] {
  return Object.entries(Object(parseJson(json))).flatMap(([address, size]) => {
    const url = resolve(address)
    return url && Array.isArray(size) ? [{ url, rank: RANKS.srcset, width: Number(size[0]) || 0 }] : []
  })
}

/** WooCommerce's images of variations, such as colours: a group each. */
function variationImages(json: string | undefined, resolve: Resolve): Candidate[][] {
  if (json === undefined) return []
  return [parseJson(json)].flat().map((variation) => {
    const { full_src, url } = Object(Object(variation).image)
    const found = resolve(String(full_src ?? url ?? ''))
    return found ? [{ url: found, rank: RANKS.link }] : []
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Finds the images of logos, wherever they are: named so, or linked to the home page. */
export function findLogos(document: HTMLElement, resolve: Resolve): (URL | null)[] {
  const isLogo = ({ localName: name, attrs }: HTMLElement): boolean =>
    LOGO.test(namesOf(attrs)) || (name === 'a' && resolve(attrs.href ?? '')?.pathname === '/')
  return document
    .getElementsByTagName('*')
    .filter(isLogo)
    .slice(0, MAX_LOGOS)
    .flatMap((element) => [element, ...element.getElementsByTagName('img')])
    .map(({ attrs }) => resolve(attrs.src ?? attrs.href ?? ''))
}

/** Whether an image declares to be as small as an icon. */
function isTiny({ width = '', height = '' }: Attributes): boolean {
  return [width, height].every((side) => /^\d{1,4}(?:px)?$/.test(side) && Number.parseInt(side, 10) < MIN_IMAGE_PX)
}

function namesOf(attributes: Attributes): string {
  return `${attributes.class ?? ''} ${attributes.id ?? ''}`
}
