// Collects the images of a page's elements, judging by tags, class names and headings which may show its product.

import { DomUtils, type parseDocument } from 'htmlparser2'
import { type Attributes, imageCandidates, RANKS, type Resolve } from './element-images.ts'
import { isImageFile } from './image-urls.ts'
import type { Candidate } from './picture-set.ts'

export type Document = ReturnType<typeof parseDocument>
export type Element = ReturnType<typeof DomUtils.findAll>[number]

/** URLs of one picture each. */
export type PageElements = {
  gallery: Candidate[][]
  /** Images without any hint at the product they show. */
  plain: { group: Candidate[]; main: boolean }[]
}

/** What the enclosing elements tell. */
type Place = {
  /** In an element named like a gallery. */
  gallery: boolean
  /** In the main part of the page. */
  main: boolean
  /** The picture that the enclosing link leads to. */
  link: Candidate[]
}

/** The limit of browsers. */
const MAX_DEPTH = 512
/** More would be an attack. */
const MAX_CANDIDATES = 1000
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
const PRODUCT_TYPE = /schema\.org\/Product$/i
const PICTURE_LINK = /fancybox|lightbox|zoom|magnific|swipebox|colorbox|photoswipe/i
const PAGE_FILE = /\/$|\.(?:html?|php|aspx?)$/i
const PRODUCT_IMAGE = /galler|thumb|zoom|fancybox|lightbox|post-image|photo|product/i
const ICON_IMAGE = /(?:^|[-_\s])(?:icons?|flag|emoji|badge|sticker|captcha|rating|star)(?=$|[-_\s])/i
const LOGO = /(?:^|[-_\s])logo(?=$|[-_\s])/i
const LOGO_TEXT = /^\s*(?:логотип|logo)(?=\s|$)/i
const MIN_IMAGE_PX = 33

/** Collects the images that may show the page's product, in page order. */
export function readElements(document: Document, page: URL, resolve: Resolve): PageElements {
  const found: PageElements = { gallery: [], plain: [] }
  let images = 0

  /** @returns whether a heading of other products is the first here, which announces the siblings of the parent */
  function visit(parent: Document | Element, around: Place, depth: number): boolean {
    const before = images
    for (const element of parent.children) {
      if (!('attribs' in element)) continue
      if (HEADING.test(element.name) && OTHER_HEADING.test(beginningOfText(element))) return images === before
      const place = enter(around, element)
      if (place === null || depth === MAX_DEPTH || found.gallery.length + found.plain.length > MAX_CANDIDATES)
        continue
      addElement(element, place)
      if (visit(element, place, depth + 1)) return false
    }
    return false
  }

  /** @returns null for what doesn't show the product: the page's frame, other products, links to other pages */
  function enter(around: Place, { name, attribs }: Element): Place | null {
    const names = WHOLE.has(name) ? '' : namesOf(attribs)
    const isImage = name === 'img'
    const gallery = around.gallery || (isImage ? PRODUCT_IMAGE : GALLERY).test(names)
    const main =
      around.main ||
      ['main', 'article'].includes(name) ||
      attribs.role === 'main' ||
      PRODUCT_TYPE.test(attribs.itemtype ?? '')
    const isFrame =
      name === 'footer' || (!main && name === 'header') || (!gallery && ['nav', 'aside'].includes(name))
    if (isFrame || OTHERS.test(names) || OTHER_NAMES.test(names)) return null
    if (name !== 'a') return { gallery, main, link: around.link }
    const link = readLink(attribs)
    return link && { gallery: gallery || PICTURE_LINK.test(names), main, link }
  }

  /** @returns the picture that a link leads to; null when it leads to another page of this site */
  function readLink(attributes: Attributes): Candidate[] | null {
    const data = imageCandidates(attributes, resolve)
    const url = resolve(attributes.href ?? '')
    if (url === null || url.pathname === page.pathname) return data
    const names = `${namesOf(attributes)} ${attributes.rel} ${Object.keys(attributes).join(' ')}`
    if (isImageFile(url) || (PICTURE_LINK.test(names) && !PAGE_FILE.test(url.pathname))) {
      return [{ url, rank: RANKS.link }, ...data]
    }
    return url.host === page.host ? null : data
  }

  function addElement(element: Element, place: Place): void {
    const { name, attribs } = element
    if (name === 'img') addImage(element, place)
    else if (name === 'a' && place.gallery) found.gallery.push(place.link)
    else if (place.gallery && name !== 'source') {
      // Only large image files: thumbnails are also in the image inside.
      const large = imageCandidates(attribs, resolve).filter(
        ({ url, rank }) => rank !== RANKS.thumbnail && isImageFile(url),
      )
      found.gallery.push(large)
    }
  }

  function addImage(image: Element, { gallery, main, link }: Place): void {
    images += 1
    const { attribs, parent } = image
    if (ICON_IMAGE.test(namesOf(attribs)) || LOGO_TEXT.test(attribs.alt ?? '')) return
    const isPicture = parent !== null && 'name' in parent && parent.name === 'picture'
    const sources = isPicture ? DomUtils.getElementsByTagName('source', parent) : []
    const group = [image, ...sources].flatMap((element) => imageCandidates(element.attribs, resolve))
    const zoomed = link.length > 0 || group.some(({ rank }) => rank === RANKS.zoom)
    if (isTiny(attribs) && !zoomed) return
    if (gallery || zoomed || attribs.itemprop === 'image') found.gallery.push([...link, ...group])
    else found.plain.push({ group, main })
  }

  visit(document, { gallery: false, main: false, link: [] }, 0)
  return found
}

/** Finds the images of logos, wherever they are: named so, or linked to the home page. */
export function findLogos(document: Document, resolve: Resolve): URL[] {
  const isLogo = ({ name, attribs }: Element): boolean =>
    LOGO.test(namesOf(attribs)) ||
    (name === 'a' && resolve(attribs.href ?? '')?.pathname === '/') ||
    (name === 'link' && /(?:^|\s)icon(?:\s|$)/i.test(attribs.rel ?? ''))
  return DomUtils.findAll(isLogo, document)
    .flatMap((element) => [element, ...DomUtils.getElementsByTagName('img', element)])
    .map(({ attribs }) => resolve(attribs.src ?? attribs.href ?? ''))
    .filter((url) => url !== null)
}

/** Not all of it, since elements may be nested deeply. */
function beginningOfText({ children }: Element): string {
  return DomUtils.find((node) => node.type === 'text', children, true, 20)
    .map((node) => DomUtils.textContent(node))
    .join('')
}

/** Whether an image declares to be as small as an icon. */
function isTiny({ width = '', height = '' }: Attributes): boolean {
  return [width, height].every(
    (side) => /^\d{1,4}(?:px)?$/.test(side) && Number.parseInt(side, 10) < MIN_IMAGE_PX,
  )
}

function namesOf(attributes: Attributes): string {
  return `${attributes.class ?? ''} ${attributes.id ?? ''}`.slice(0, 2000)
}
