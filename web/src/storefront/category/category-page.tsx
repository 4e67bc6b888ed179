import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useFilters } from '../address.ts'
import { got, shop } from '../api.ts'
import { useCurrentSlug } from '../current-slug.ts'
import { formatNumber } from '../format.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { Breadcrumbs } from '../list/breadcrumbs.tsx'
import { ProductList, useFacets, useProducts } from '../list/product-list.tsx'
import { hasFilters } from '../list/query.ts'
import css from './category.module.css'
import { SeoText } from './seo-text.tsx'

export function CategoryPage() {
  const { slug } = useParams({ from: '/categories/$slug' })
  const [search] = useFilters()
  const category = useQuery({
    queryKey: ['category', slug],
    queryFn: ({ signal }) => got(shop.GET('/api/v1/categories/by-slug/{slug}', { params: { path: { slug } }, signal })),
  })
  const scope = { categorySlug: slug }
  // The list's own requests, which don't wait for the category.
  useProducts(search, scope)
  const facets = useFacets(search, scope)
  useCurrentSlug(slug, category.data?.slug)
  if (category.error) return <Failure error={category.error} reset={category.refetch} />
  if (category.data === undefined) return <Loading />
  const { id, name, seo, seoTextDoc, breadcrumbs, canonicalPath } = category.data
  const children = facets.data?.categories.filter(({ relation }) => relation === 'child') ?? []
  return (
    <>
      <PageHead
        title={seo.title}
        description={seo.description}
        canonicalPath={canonicalPath}
        isHidden={hasFilters(search, scope)}
      />
      <Breadcrumbs path={breadcrumbs.slice(0, -1)} />
      <h1>{name}</h1>
      {children.length > 0 && (
        <ul className={css.children}>
          {children.map((child) => (
            <li key={child.id}>
              <Link to="/categories/$slug" params={{ slug: child.slug }}>
                {child.name} <span>{formatNumber(child.count)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <ProductList key={id} scope={scope} />
      <SeoText document={seoTextDoc} />
    </>
  )
}
