import type { DemoProduct } from './catalogue.ts'
import { escapeMarkup, scriptJson } from './markup.ts'
import {
  CART_ICON_PATH,
  LOGO_PATH,
  MAKER_LOGO_PATH,
  type PageShape,
  type PicturePaths,
  PLACEHOLDER_PATHS,
} from './picture-paths.ts'

/** The data of a product page; texts are escaped. */
export interface PageContext {
  /** Without a trailing slash. */
  readonly site: string
  readonly url: string
  readonly product: DemoProduct
  readonly name: string
  readonly brand: string
  readonly price: string
  readonly availability: string
  readonly description: string
  readonly attributes: string
  readonly pictures: readonly PicturePaths[]
  readonly related: readonly { readonly name: string; readonly url: string; readonly picture: PicturePaths }[]
}

/** One template per shop system, each with the traps that real pages hold for a scraper. */
export const SHAPE_PAGES: Readonly<Record<PageShape, (page: PageContext) => string>> = {
  opencart: opencartPage,
  bitrix: bitrixPage,
  woocommerce: woocommercePage,
  shopify: shopifyPage,
  graph: graphPage,
}

/** URLs relative to `<base>`; links lead to the originals, and related products have the same markup. */
function opencartPage(page: PageContext): string {
  const gallery = page.pictures.map(({ original, thumbnail }, index) => {
    const zoom = index === 0 ? ` data-zoom-image="${original.slice(1)}"` : ` data-image="${original.slice(1)}"`
    return `<li${index > 0 ? ' class="image-additional"' : ''}><a class="thumbnail" href="${original.slice(1)}"
      title="${page.name}"><img src="${thumbnail.slice(1)}"${zoom} alt="${page.name}"></a></li>`
  })
  const empty = `<li><img src="${PLACEHOLDER_PATHS.opencart.slice(1)}" alt="Нет изображения"></li>`
  const related = page.related.map(
    ({ name, url, picture }) => `<div class="product-thumb"><div class="image"><a href="${page.site}${url}"><img
      src="${picture.thumbnail.slice(1)}" alt="${name}" class="img-responsive"></a></div>${name}</div>`,
  )
  return document(
    page,
    `<base href="${page.site}/">
    <link href="${LOGO_PATH.slice(1)}" rel="icon">`,
    `<div id="logo"><a href="${page.site}/"><img src="${LOGO_PATH.slice(1)}" alt="Демо-магазин"></a></div>
    <ul class="thumbnails">${gallery.join('\n') || empty}</ul>
    ${details(page)}
    <h3>Рекомендуемые товары</h3><div class="row related">${related.join('\n')}</div>`,
  )
}

/** URLs relative to the root; a brand logo in the gallery, resized copies, and a carousel that repeats everything. */
function bitrixPage(page: PageContext): string {
  const first = page.pictures[0]
  const gallery = page.pictures.map(
    ({ original, thumbnail }) => `<a class="fancybox" rel="gallery" href="${original}" data-large-picture="${original}">
      <img src="${thumbnail}" data-big-src="${original}" alt="${page.name}"></a>`,
  )
  const carousel = page.pictures.map(
    ({ original, thumbnail }) => `<li><img src="${thumbnail}"
      data-big-src="${original}" alt=""></li>`,
  )
  const related = page.related.map(
    ({ name, url, picture }) => `<div class="catalog-item"><a href="${url}"><img src="${picture.thumbnail}"
      alt="${name}"></a><a href="${url}">${name}</a></div>`,
  )
  return document(
    page,
    '<base target="_top">',
    `<header><a href="/"><img src="${LOGO_PATH}" alt="логотип"></a><img src="${CART_ICON_PATH}" alt="корзина"></header>
    <div itemscope itemtype="http://schema.org/Product">
    <meta itemprop="name" content="${page.name}">
    <meta itemprop="image" content="${first?.original ?? PLACEHOLDER_PATHS.bitrix}">
    <div class="product-gallery">
      <img class="brand-logo" src="${MAKER_LOGO_PATH}" alt="${page.brand}">
      ${gallery.join('\n') || `<img src="${PLACEHOLDER_PATHS.bitrix}" alt="нет фото">`}
    </div>
    <ul class="carousel slick">${carousel.join('\n')}${carousel.join('\n')}</ul>
    ${details(page)}
    </div>
    <div class="catalog-section related"><h3>С этим товаром покупают</h3>${related.join('\n')}</div>`,
  )
}

/** Lazy images with srcset, and variations as entity-escaped JSON. */
function woocommercePage(page: PageContext): string {
  const gallery = page.pictures.map(
    ({ original, thumbnail }) => `<div data-thumb="${thumbnail}" class="woocommerce-product-gallery__image">
      <a href="${page.site}${original}"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
      class="wp-post-image lazyload" data-src="${thumbnail}" data-large_image="${page.site}${original}"
      data-large_image_width="600" srcset="${thumbnail} 300w, ${original} 600w" sizes="300px" alt=""></a></div>`,
  )
  const variations = page.pictures.slice(0, 1).map(({ original, thumbnail }) => ({
    variation_id: 1,
    attributes: { attribute_pa_color: 'чёрный' },
    image: { url: page.site + original, full_src: page.site + original, thumb_src: page.site + thumbnail },
  }))
  const empty = `<img src="${PLACEHOLDER_PATHS.woocommerce}" class="wp-post-image" alt="Ожидает изображения">`
  const related = page.related.map(
    ({ name, url, picture }) => `<li class="product"><a href="${url}"><img src="${picture.thumbnail}"
      srcset="${picture.thumbnail} 300w, ${picture.original} 600w" alt=""><h2>${name}</h2></a></li>`,
  )
  return document(
    page,
    `<link rel="icon" href="${LOGO_PATH}" sizes="32x32">`,
    `<a href="/" class="custom-logo-link"><img class="custom-logo" src="${LOGO_PATH}" alt="Демо-магазин"></a>
    <div class="woocommerce-product-gallery">${gallery.join('\n') || empty}</div>
    <form class="variations_form cart"
      data-product_variations="${escapeMarkup(JSON.stringify(variations))}"></form>
    ${details(page)}
    <section class="related products"><h2>Похожие товары</h2><ul>${related.join('\n')}</ul></section>`,
  )
}

/** Protocol-relative URLs, several og:image including the logo, and everything again in noscript. */
function shopifyPage(page: PageContext): string {
  const host = page.site.replace(/^https?:/, '')
  const og = page.pictures.map(
    ({ original }) => `<meta property="og:image" content="${host}${escapeMarkup(original)}">
    <meta property="og:image:secure_url" content="${page.site}${escapeMarkup(original)}">
    <meta property="og:image:width" content="600">`,
  )
  const gallery = page.pictures.map(({ original, thumbnail }) => {
    const [small, large] = [`${host}${thumbnail}`, `${host}${original}`]
    const half = small.replace('_180x.', '_360x.')
    return `<div class="product__media"><img class="lazyload" src="//" data-src="${small}"
      srcset="${small} 180w, ${half} 360w, ${large} 600w" alt="${page.name}">
      <noscript><img src="${large}" alt="${page.name}"></noscript></div>`
  })
  const empty = `<img src="${host}${PLACEHOLDER_PATHS.shopify}" alt="">`
  const related = page.related.map(
    ({ name, url, picture }) => `<div class="card"><a href="${url}"><img src="${host}${picture.thumbnail}"
      srcset="${host}${picture.thumbnail} 180w, ${host}${picture.original} 600w" alt="">${name}</a></div>`,
  )
  return document(
    page,
    `<meta property="og:site_name" content="Демо-магазин">
    ${og.join('\n')}
    <meta property="og:image" content="${page.site}${LOGO_PATH}">
    ${jsonLd({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: page.product.name,
      image: page.pictures.map(({ original }, index) =>
        index % 2 === 0 ? page.site + original : { '@type': 'ImageObject', url: page.site + original, width: 600 },
      ),
      offers: { '@type': 'Offer', price: page.product.price, priceCurrency: 'RUB' },
    })}`,
    `<header class="site-header"><img src="${host}${LOGO_PATH}" alt="Демо-магазин" class="site-logo"></header>
    <div class="product__media-list">${gallery.join('\n') || empty}</div>
    ${details(page)}
    <section class="product-recommendations">${related.join('\n')}</section>`,
  )
}

/** One JSON-LD graph, with the organisation's logo and a list of other products. */
function graphPage(page: PageContext): string {
  const images = page.pictures.map(({ original }) => decodeURI(page.site + original))
  const gallery = page.pictures.map(
    ({ original, thumbnail }) => `<img data-src="${thumbnail}" data-src-zoom-image="${original}"
      data-a-dynamic-image="${escapeMarkup(JSON.stringify({ [page.site + thumbnail]: [120, 120], [page.site + original]: [600, 600] }))}"
      alt="">`,
  )
  return document(
    page,
    `<meta content="${page.site}${page.pictures[0]?.original ?? LOGO_PATH}" property="og:image">
    ${jsonLd({
      '@context': 'https://schema.org',
      '@graph': [
        {
          '@type': 'Organization',
          name: 'Демо-магазин',
          logo: page.site + LOGO_PATH,
          image: page.site + LOGO_PATH,
        },
        { '@type': 'WebPage', url: page.url, name: page.product.name },
        {
          '@type': ['Product', 'IndividualProduct'],
          name: page.product.name,
          brand: { '@type': 'Brand', name: page.brand, logo: page.site + MAKER_LOGO_PATH },
          image: images.length === 1 ? images[0] : images,
        },
        {
          '@type': 'ItemList',
          itemListElement: page.related.map(({ url, picture }) => ({
            '@type': 'Product',
            url: page.site + url,
            image: page.site + picture.original,
          })),
        },
      ],
    })}`,
    `<div class="gallery">${gallery.join('\n') || `<img src="${PLACEHOLDER_PATHS.graph}" alt="нет фото">`}</div>
    ${details(page)}`,
  )
}

function details(page: PageContext): string {
  return `<h1>${page.name}</h1>
    <p class="brand">Производитель: ${page.brand}</p>
    <p class="price">${page.price}</p><p class="stock">${page.availability}</p>
    <div class="description">${page.description}</div>
    <table class="attributes">${page.attributes}</table>`
}

function jsonLd(value: unknown): string {
  return `<script type="application/ld+json">${scriptJson(value)}</script>`
}

function document(page: PageContext, head: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="ru">
<head>
    <meta charset="utf-8">
    <title>${page.name} — купить в демо-магазине</title>
    <meta name="description" content="${page.name}: ${page.price}">
    ${head}
</head>
<body>
    ${body}
    <footer><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" width="1" height="1" alt="">Демо-магазин</footer>
</body>
</html>
`
}
