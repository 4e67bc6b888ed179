import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useFilters } from '../address.ts'
import { got, shop } from '../api.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { ProductList, useProducts } from '../list/product-list.tsx'
import { hasFilters } from '../list/query.ts'
import { SeoText } from './seo-text.tsx'

export function TagPage() {
  const { slug } = useParams({ from: '/tags/$slug' })
  const [search] = useFilters()
  const tag = useQuery({
    queryKey: ['tag', slug],
    queryFn: ({ signal }) => got(shop.GET('/api/v1/tags/by-slug/{slug}', { params: { path: { slug } }, signal })),
  })
  const scope = { tagSlug: slug }
  // The list's own request, which doesn't wait for the tag.
  useProducts(search, scope)
  if (tag.error) return <Failure error={tag.error} reset={tag.refetch} />
  if (tag.data === undefined) return <Loading />
  const { id, name, seo, seoTextDoc } = tag.data
  return (
    <>
      <PageHead title={seo.title} description={seo.description} isHidden={hasFilters(search, scope)} />
      <h1>{name}</h1>
      <ProductList key={id} scope={scope} />
      <SeoText document={seoTextDoc} />
    </>
  )
}
