import type { Attributes } from './html-tags.ts'

// Judges by class names, roles and headings whether an image belongs to the page's product.

/** Evidence about an image from its enclosing elements. */
export type Context = {
  name: string
  /** In the header, the footer, other products, banners, reviews. */
  excluded: boolean
  /** In an element named like a gallery. */
  gallery: boolean
  /** In the main part of the page. */
  main: boolean
  /** The number of images seen before a heading of other products here. */
  announcedAt?: number
}

/** They enclose the whole page, so their classes don't describe a part of it. */
const WHOLE = new Set(['html', 'body', 'main', 'article', 'form', 'table', 'tbody'])
const GALLERY =
  /galler|thumb|fancybox|lightbox|zoom|carousel|slick|swiper|slider|splide|flickity|fotorama|photo|picture|image|img|media|foto|фото|изображ/i
const OTHERS =
  /(?:^|[-_\s])(?:related|recommend(?:ed|ations?|s)?|similar|up-?sells?|cross-?sells?|bestsellers?|also-?(?:bought|viewed|like)|recently|viewed|analogs?|accessories|banners?|payments?|socials?|avatars?|logos?|minicart|mini-cart)(?=$|[-_\s])/i
/** Only as whole class names: `product-header` and `thumbs-nav` are harmless. */
const OTHER_NAMES =
  /(?:^|\s)(?:header|(?:site|page|main|top)-header|footer|(?:site|page|main)-footer|nav|navbar|navigation|main-nav|site-nav|(?:top|main)?-?menu|breadcrumbs?|sidebar|column-(?:left|right)|reviews?|product-reviews|comments?|testimonials?|brands?|product-brand|brand-logo|manufacturer|share|rating|stars)(?=\s|$)/i
/** Only at the start of a heading: "Картридж, аналог" is a product's name. */
const OTHER_HEADING =
  /^\s*(?:(?:мы|наши|также|ещё|еще)\s+)?(?:рекоменд|похожи|сопутств|с этим |вместе с|покупа|вас |вам |вы (?:смотр|просм|недавно)|недавно|аналог(?:и|ичн)|другие товары|related|similar|recommend|you (?:may|might)|customers|people also|recently|frequently)/i
const OWN_GALLERY = /galler|thumb|zoom|fancybox|lightbox|post-image|photo|product/i
const OWN_LOGO = /(?:^|[-_\s])(?:logo|custom-logo|brand|manufacturer)(?=$|[-_\s])/i
const OWN_ICON =
  /(?:^|[-_\s])(?:icons?|flag|avatar|emoji|badge|sticker|payment|captcha|rating|star)(?=$|[-_\s])/i
const LOGO_TEXT = /^\s*(?:логотип|logo)(?=\s|$)/i
const PRODUCT_TYPE = /schema\.org\/Product$/i
const MIN_IMAGE_PX = 33

/** Derives the context within an element from the one around it. */
export function enter(around: Context, name: string, attributes: Attributes): Context {
  const names = WHOLE.has(name) ? '' : namesOf(attributes)
  const gallery = around.gallery || GALLERY.test(names)
  const main =
    around.main ||
    ['main', 'article'].includes(name) ||
    attributes.get('role') === 'main' ||
    PRODUCT_TYPE.test(attributes.get('itemtype') ?? '')
  const byName =
    name === 'footer' || (!main && name === 'header') || (!gallery && ['nav', 'aside'].includes(name))
  const excluded = around.excluded || byName || OTHERS.test(names) || OTHER_NAMES.test(names)
  return { name, excluded, gallery, main }
}

/** Whether a heading introduces other products. */
export function announcesOthers(heading: string): boolean {
  return OTHER_HEADING.test(heading)
}

/** Whether an image's own attributes make it part of the gallery. */
export function isOwnGallery(attributes: Attributes): boolean {
  return attributes.get('itemprop') === 'image' || OWN_GALLERY.test(namesOf(attributes))
}

/** Classifies images that are not product images by their own attributes; a `small` one may be a product's thumbnail. */
export function ownRole(attributes: Attributes): 'logo' | 'icon' | 'small' | null {
  const names = namesOf(attributes)
  if (OWN_LOGO.test(names) || LOGO_TEXT.test(attributes.get('alt') ?? '')) return 'logo'
  if (OWN_ICON.test(names)) return 'icon'
  const sides = ['width', 'height'].map((side) => attributes.get(side) ?? '')
  const declared = sides.every((side) => /^\d{1,4}(?:px)?$/.test(side))
  return declared && sides.every((side) => Number.parseInt(side, 10) < MIN_IMAGE_PX) ? 'small' : null
}

function namesOf(attributes: Attributes): string {
  return `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`.slice(0, 2000)
}
