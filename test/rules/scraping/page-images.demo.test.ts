import { expect, test } from 'vitest'
import { generateCatalogue } from '../../../demo/generate.ts'
import { PAGE_SHAPES } from '../../../demo/picture-paths.ts'
import { pagePath, productPictures, renderProductPage } from '../../../demo/product-page.ts'
import { findPageImages } from '../../../src/rules/scraping/page-images.ts'

const SITE = 'http://127.0.0.1:4010'

test.each(PAGE_SHAPES)('reads every page of the demo storefront in the shape of %s', (shape) => {
  const catalogue = generateCatalogue({ products: 30 })
  catalogue.upsertProduct({ id: 'bare', imageCount: 0 })
  catalogue.upsertProduct({ id: 'a/b:ё 1', name: '<img src="/x.jpg"> & "Ко"', imageCount: 9 })
  for (const product of catalogue.products) {
    const html = renderProductPage(catalogue, product, SITE, shape)
    expect(findPageImages({ html, url: SITE + pagePath(product.id) })).toEqual(productPictures(product, SITE, shape))
  }
})
