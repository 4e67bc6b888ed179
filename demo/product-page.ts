import type { Catalogue, DemoProduct } from './catalogue.ts'
import { escapeMarkup, simpleHtml } from './markup.ts'
import { PAGE_SHAPES, type PageShape, type PicturePaths, pageShape, picturePaths } from './picture-paths.ts'
import { type PageContext, SHAPE_PAGES } from './product-page-shapes.ts'

const MAX_RELATED = 3
const ROUBLES = new Intl.NumberFormat('ru-RU', { style: 'currency', currency: 'RUB' })

/** Percent-encoded path of a product's page. */
export function pagePath(productId: string): string {
  return `/p/${encodeURIComponent(productId)}`
}

/** URLs of the originals on a product's page, in page order: the result expected of a scraper. */
export function productPictures(product: DemoProduct, site: string, shape = pageShape(product.id)): string[] {
  return pictures(product, shape).map((picture) => site + picture.original)
}

/** Renders the product's page, in Russian. @param shape overrides the one derived from the id */
export function renderProductPage(
  catalogue: Catalogue,
  product: DemoProduct,
  site: string,
  shape: PageShape = pageShape(product.id),
): string {
  const brand = product.brandId === null ? undefined : catalogue.brands.get(product.brandId)
  return SHAPE_PAGES[shape]({
    site,
    url: site + pagePath(product.id),
    product,
    name: escapeMarkup(product.name.trim()),
    brand: escapeMarkup(brand?.name ?? 'Без бренда'),
    price: product.price === null ? 'Цена по запросу' : ROUBLES.format(product.price),
    availability: (product.stock ?? 0) > 0 ? 'В наличии' : 'Нет в наличии',
    description: simpleHtml(product.description ?? ''),
    attributes: product.attributes
      .map(({ name, value }) => `<tr><td>${escapeMarkup(name)}</td><td>${escapeMarkup(value)}</td></tr>`)
      .join('\n'),
    pictures: pictures(product, shape),
    related: related(catalogue, product, shape),
  })
}

export function isPageShape(text: string | null): text is PageShape {
  return PAGE_SHAPES.some((shape) => shape === text)
}

function pictures(product: DemoProduct, shape: PageShape): PicturePaths[] {
  return Array.from({ length: product.imageCount }, (_, index) => picturePaths(shape, product.id, index + 1))
}

/** Other products, whose pictures a scraper must not take for this product's. */
function related(catalogue: Catalogue, product: DemoProduct, shape: PageShape): PageContext['related'] {
  const found: { name: string; url: string; picture: PicturePaths }[] = []
  for (const other of catalogue.products) {
    if (other.id === product.id || !other.active) continue
    const picture = picturePaths(shape, other.id, 1)
    found.push({ name: escapeMarkup(other.name.trim()), url: pagePath(other.id), picture })
    if (found.length === MAX_RELATED) break
  }
  return found
}
