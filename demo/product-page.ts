import type { Catalogue, DemoProduct } from './catalogue.ts'
import { escapeMarkup, simpleHtml } from './markup.ts'
import { hashText } from './random.ts'

const MAX_RELATED = 3
const ROUBLES = new Intl.NumberFormat('ru-RU', { style: 'currency', currency: 'RUB' })

/** Percent-encoded path of a product's page. */
export function pagePath(productId: string): string {
  return `/p/${encodeURIComponent(productId)}`
}

/** URLs of the originals on a product's page, in page order. @param site without a trailing slash */
export function pictureUrls(product: DemoProduct, site: string): string[] {
  return pictureFiles(product).map((file) => `${site}/img/products/${file}`)
}

/** Renders the product's page, in Russian. */
export function renderProductPage(catalogue: Catalogue, product: DemoProduct): string {
  const name = escapeMarkup(product.name.trim())
  const brand = product.brandId === null ? undefined : catalogue.brands.get(product.brandId)
  const price = product.price === null ? 'Цена по запросу' : ROUBLES.format(product.price)
  const gallery = pictureFiles(product).map(
    (file) => `<a href="/img/products/${file}"><img src="/img/thumbnails/${file}" alt="${name}"></a>`,
  )
  const attributes = product.attributes.map(
    (attribute) => `<tr><th>${escapeMarkup(attribute.name)}</th><td>${escapeMarkup(attribute.value)}</td></tr>`,
  )
  const related = relatedTo(product, catalogue).map((other) => {
    const [file] = pictureFiles(other)
    const thumbnail = file === undefined ? '' : `<img src="/img/thumbnails/${file}" alt="">`
    return `<li><a href="${pagePath(other.id)}">${thumbnail}${escapeMarkup(other.name.trim())}</a></li>`
  })
  return `<!DOCTYPE html>
<html lang="ru">
<head><meta charset="utf-8"><title>${name} — купить в демо-магазине</title></head>
<body>
<header><a href="/"><img src="/img/logo.png" alt="Демо-магазин" class="logo"></a></header>
<h1>${name}</h1>
<div class="gallery">
${gallery.join('\n')}
</div>
<p class="brand">Производитель: ${escapeMarkup(brand?.name ?? 'Без бренда')}</p>
<p class="price">${price}</p>
<p class="stock">${(product.stock ?? 0) > 0 ? 'В наличии' : 'Нет в наличии'}</p>
<div class="description">${simpleHtml(product.description ?? '')}</div>
<table class="attributes">${attributes.join('')}</table>
<section class="related"><h2>Похожие товары</h2><ul>
${related.join('\n')}
</ul></section>
</body>
</html>
`
}

function pictureFiles({ id, imageCount }: DemoProduct): string[] {
  const key = hashText(`picture ${id}`).toString(16).padStart(8, '0')
  return Array.from({ length: imageCount }, (_, index) => `${key}-${index + 1}.png`)
}

/** Other products, whose pictures a scraper must not take for this product's. */
function relatedTo(product: DemoProduct, catalogue: Catalogue): DemoProduct[] {
  const found: DemoProduct[] = []
  for (const other of catalogue.products) {
    if (found.length === MAX_RELATED) break
    if (other.id !== product.id && other.active) found.push(other)
  }
  return found
}
