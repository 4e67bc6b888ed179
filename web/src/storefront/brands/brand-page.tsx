import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useFilters } from '../address.ts'
import { got, shop } from '../api.ts'
import { useCurrentSlug } from '../current-slug.ts'
import { Html } from '../frame/html.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { ProductList } from '../list/product-list.tsx'
import { hasFilters } from '../list/query.ts'
import css from './brands.module.css'

export function BrandPage() {
  const { slug } = useParams({ from: '/brands/$slug' })
  const [search] = useFilters()
  const brand = useQuery({
    queryKey: ['brand', slug],
    queryFn: ({ signal }) => got(shop.GET('/api/v1/brands/by-slug/{slug}', { params: { path: { slug } }, signal })),
  })
  useCurrentSlug(slug, brand.data?.slug)
  if (brand.error) return <Failure error={brand.error} reset={brand.refetch} />
  if (brand.data === undefined) return <Loading />
  const { id, name, description, imageUrl, seo, canonicalPath } = brand.data
  const scope = { brandId: String(id) }
  return (
    <>
      <PageHead
        title={seo.title}
        description={seo.description}
        canonicalPath={canonicalPath}
        isHidden={hasFilters(search, scope)}
      />
      <header className={css.head}>
        {imageUrl !== null && <img src={`${imageUrl}&width=160`} alt="" className={css.logo} />}
        <h1>{name}</h1>
      </header>
      {description !== null && <Html html={description} />}
      <ProductList key={id} scope={scope} />
    </>
  )
}
