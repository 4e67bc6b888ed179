import type { Catalogue, DemoProduct } from './catalogue.ts'
import { cdata, escapeMarkup } from './markup.ts'
import { pagePath, pictureUrls } from './product-page.ts'

const CHUNK_LENGTH = 64 * 1024
const MAX_PICTURES = 10
const FIGURE_WITH_UNIT = /^(\d+(?:[.,]\d+)?) (\S+)$/

/**
 * Renders the active products as a YML feed, in chunks of about 64 KB. An offer without a price has no price element,
 * an unknown category keeps its id.
 */
export function* renderFeed(catalogue: Catalogue, site: string, date: string): Generator<string> {
  let text = `<?xml version="1.0" encoding="UTF-8"?>
<yml_catalog date="${date}">
<shop>
<name>Демо-магазин</name>
<company>Демонстрационный поставщик</company>
<url>${escapeMarkup(site)}/</url>
<currencies><currency id="RUB" rate="1"/></currencies>
<categories>
`
  for (const { id, name, parentId } of catalogue.categories) {
    const parent = parentId === null ? '' : ` parentId="${escapeMarkup(parentId)}"`
    text += `<category id="${escapeMarkup(id)}"${parent}>${escapeMarkup(name)}</category>\n`
  }
  text += '</categories>\n<offers>\n'
  for (const product of catalogue.products) {
    if (!product.active) continue
    text += renderOffer(catalogue, product, site)
    if (text.length >= CHUNK_LENGTH) {
      yield text
      text = ''
    }
  }
  yield `${text}</offers>\n</shop>\n</yml_catalog>\n`
}

function renderOffer(catalogue: Catalogue, product: DemoProduct, site: string): string {
  const brand = product.brandId === null ? undefined : catalogue.brands.get(product.brandId)
  const pictures = product.imageUrls.length > 0 ? product.imageUrls : pictureUrls(product, site)
  const lines = [
    `<offer id="${escapeMarkup(product.id)}" available="${(product.stock ?? 0) > 0}">`,
    element('url', product.pageUrl ?? site + pagePath(product.id)),
    product.price === null ? '' : element('price', String(product.price)),
    '<currencyId>RUB</currencyId>',
    product.categoryId === null ? '' : element('categoryId', product.categoryId),
    ...pictures.slice(0, MAX_PICTURES).map((picture) => element('picture', picture)),
    element('name', product.name),
    brand === undefined ? '' : element('vendor', brand.name),
    element('vendorCode', product.id),
    product.description === null ? '' : `<description>${cdata(product.description)}</description>`,
    product.stock === null ? '' : element('count', String(product.stock)),
    ...product.attributes.map(({ name, value }) => param(name, value)),
    '</offer>\n',
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function element(name: string, text: string): string {
  return `<${name}>${escapeMarkup(text)}</${name}>`
}

function param(name: string, value: string): string {
  const [, figure, unit] = FIGURE_WITH_UNIT.exec(value) ?? []
  const unitAttribute = unit === undefined ? '' : ` unit="${escapeMarkup(unit)}"`
  return `<param name="${escapeMarkup(name)}"${unitAttribute}>${escapeMarkup(figure ?? value)}</param>`
}
