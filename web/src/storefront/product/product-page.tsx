import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { got, type Schemas, shop } from '../api.ts'
import { useCurrentSlug } from '../current-slug.ts'
import common from '../frame/common.module.css'
import { Html } from '../frame/html.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { Breadcrumbs } from '../list/breadcrumbs.tsx'
import { Stars } from '../list/stars.tsx'
import { AddButton, Price, Tile } from '../list/tile.tsx'
import { useSettings } from '../settings.ts'
import { Gallery } from './gallery.tsx'
import { useLiveProduct } from './live.ts'
import css from './product.module.css'
import { Reviews } from './reviews.tsx'
import { useStructuredData } from './structured-data.ts'
import { t } from './text.ts'

const MAX_SIMILAR = 5

export function ProductPage() {
  const { slug } = useParams({ from: '/products/$slug' })
  const { data, error, refetch } = useQuery({
    queryKey: ['product', slug],
    queryFn: ({ signal }) => got(shop.GET('/api/v1/products/by-slug/{slug}', { params: { path: { slug } }, signal })),
  })
  useCurrentSlug(slug, data?.slug)
  if (error) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  return <Product key={data.id} product={data} />
}

function Product({ product: loaded }: { product: Schemas['ProductCard'] }) {
  const product = useLiveProduct(loaded)
  const { shop_currency: currency = 'RUB' } = useSettings()
  useStructuredData(product, currency)
  const { id, name, seo, brand, images, rating, tags, attributes, description, available, category } = product
  return (
    <>
      <PageHead title={seo.title} description={seo.description} canonicalPath={product.canonicalPath} />
      <Breadcrumbs path={product.breadcrumbs} />
      <div className={css.product}>
        <Gallery images={images} />
        <div className={css.main}>
          <h1>{name}</h1>
          <div className={common.row}>
            {brand !== null && (
              <Link to="/brands/$slug" params={{ slug: brand.slug }}>
                {brand.name}
              </Link>
            )}
            {rating !== null && <Stars rating={rating} />}
            {product.externalId !== null && (
              <span className={common.muted}>
                {t.article} {product.externalId}
              </span>
            )}
          </div>
          <div className={css.buy} aria-live="polite">
            <Price product={product} />
            <span className={available ? common.good : common.muted}>{available ? t.available : t.outOfStock}</span>
            <AddButton id={id} name={name} isAvailable={available} />
          </div>
          {tags.length > 0 && (
            <div className={common.row}>
              {tags.map((tag) => (
                <Link key={tag.id} to="/tags/$slug" params={{ slug: tag.slug }} className={css.tag}>
                  {tag.name}
                </Link>
              ))}
            </div>
          )}
          {attributes.length > 0 && (
            <section>
              <h2>{t.attributes}</h2>
              <dl className={css.attributes}>
                {attributes.map((attribute) => (
                  <div key={attribute.name}>
                    <dt>{attribute.name}</dt>
                    <dd>{attribute.value}</dd>
                  </div>
                ))}
              </dl>
            </section>
          )}
        </div>
      </div>
      {description !== null && (
        <section className={css.section}>
          <h2>{t.description}</h2>
          <Html html={description} />
        </section>
      )}
      <Reviews productId={id} />
      {category !== null && <Similar categoryId={category.id} except={id} />}
    </>
  )
}

function Similar({ categoryId, except }: { categoryId: number; except: number }) {
  const { data } = useQuery({
    queryKey: ['products', 'similar', categoryId],
    queryFn: ({ signal }) => {
      const query = { categoryId, inStock: true, sort: 'popularity,desc', size: MAX_SIMILAR + 1 }
      return got(shop.GET('/api/v1/products', { params: { query }, signal }))
    },
  })
  const products = data?.content.filter(({ id }) => id !== except).slice(0, MAX_SIMILAR) ?? []
  if (products.length === 0) return null
  return (
    <section className={css.section}>
      <h2>{t.similar}</h2>
      <ul className={common.grid}>
        {products.map((product) => (
          <Tile key={product.id} product={product} />
        ))}
      </ul>
    </section>
  )
}
