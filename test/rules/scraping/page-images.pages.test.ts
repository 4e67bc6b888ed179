import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPageImages } from '../../../src/rules/scraping/page-images.ts'

// Whole pages as shop systems write them, with logos, placeholders and related products.
const SITE = 'https://shop.example'
const find = (page: string) =>
  findPageImages({
    html: readFileSync(join(import.meta.dirname, 'pages', `${page}.html`), 'utf8'),
    url: `${SITE}/p/drill`,
  }).urls

test.each([
  ['opencart', '/img/catalog/tovar-drill-#.png'],
  ['bitrix', '/upload/iblock/eb/photo-drill-#.png'],
  ['woocommerce', '/wp-content/uploads/2026/03/item-drill-#.png'],
  ['shopify', '/cdn/shop/products/p-drill-#.png?v=1767225600'],
  ['graph', `/img/${encodeURIComponent('фото')}/${encodeURIComponent('снимок')}-drill-#.png`],
])('%s: finds the three originals in order, or none on a page without', (page, path) => {
  expect(find(page)).toEqual([1, 2, 3].map((number) => SITE + path.replace('#', String(number))))
  expect(find(`${page}-without-images`)).toEqual([])
})
