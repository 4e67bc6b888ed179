import type { Catalogue, DemoProduct } from './catalogue.ts'
import { escapeMarkup, simpleHtml } from './markup.ts'
import { PAGE_SHAPES, type PageShape, type PicturePaths, pageShape, picturePaths } from './picture-paths.ts'
import { type PageContext, SHAPE_PAGES } from './product-page-shapes.ts'

const RELATED = 3
const ROUBLES = new Intl.NumberFormat('ru-RU', { style: 'currency', currency: 'RUB' })

/** The page's path for a product, percent-encoded. */
export function pagePath(productId: string): string {
  return `/p/${encodeURIComponent(productId)}`
}

/** Addresses of the originals on a product's page, in page order: what a scraper should find. */
export function productPictures(product: DemoProduct, site: string, shape = pageShape(product.id)): string[] {
  return pictures(product, shape).map((picture) => site + picture.original)
}

/** The product's page in Russian. `shape` overrides the one that its id gives. */
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

/** Whether a text names a page shape. */
export function isPageShape(text: string | null): text is PageShape {
  return PAGE_SHAPES.some((shape) => shape === text)
}

function pictures(product: DemoProduct, shape: PageShape): PicturePaths[] {
  return Array.from({ length: product.imageCount }, (_, index) => picturePaths(shape, product.id, index + 1))
}

/** The first other products in the list: their pictures must not be taken for this product's. */
function related(catalogue: Catalogue, product: DemoProduct, shape: PageShape): PageContext['related'] {
  const found: { name: string; url: string; picture: PicturePaths }[] = []
  for (const other of catalogue.products) {
    if (other.id === product.id || !other.active) continue
    const picture = picturePaths(shape, other.id, 1)
    found.push({ name: escapeMarkup(other.name.trim()), url: pagePath(other.id), picture })
    if (found.length === RELATED) break
  }
  return found
}
