import { useEffect } from 'react'
import type { Schemas } from '../api.ts'
import { setData } from '../frame/trusted.ts'

/** Describes the product to search engines as JSON-LD, which no browser runs. */
export function useStructuredData(product: Schemas['ProductCard'], currency: string): void {
  useEffect(() => {
    const element = document.createElement('script')
    element.type = 'application/ld+json'
    setData(element, [describe(product, currency), describePath(product)])
    document.head.append(element)
    return () => element.remove()
  }, [product, currency])
}

const absolute = (path: string) => new URL(path, window.location.origin).href

function describe(product: Schemas['ProductCard'], currency: string): object {
  const { name, slug, images, brand, externalId, rating, finalPrice, available, seo } = product
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    description: seo.description,
    image: images.map(({ url }) => absolute(url)),
    ...(externalId === null ? {} : { sku: externalId }),
    ...(brand === null ? {} : { brand: { '@type': 'Brand', name: brand.name } }),
    ...(rating === null
      ? {}
      : { aggregateRating: { '@type': 'AggregateRating', ratingValue: rating.average, reviewCount: rating.count } }),
    ...(finalPrice
      ? {
          offers: {
            '@type': 'Offer',
            url: absolute(`/products/${slug}`),
            price: finalPrice,
            priceCurrency: currency,
            availability: `https://schema.org/${available ? 'InStock' : 'OutOfStock'}`,
          },
        }
      : {}),
  }
}

function describePath({ breadcrumbs }: Schemas['ProductCard']): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: breadcrumbs.map(({ name, slug }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: absolute(`/categories/${slug}`),
    })),
  }
}
