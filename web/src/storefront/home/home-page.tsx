import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { got, shop } from '../api.ts'
import { formatDay } from '../format.ts'
import common from '../frame/common.module.css'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { Stars } from '../list/stars.tsx'
import { Tile } from '../list/tile.tsx'
import { useSettings } from '../settings.ts'
import { treeQuery } from '../tree.ts'
import { Banner, Feature } from './blocks.tsx'
import css from './home.module.css'
import { t } from './text.ts'

const POPULAR = { sort: 'popularity,desc', inStock: true, size: 10 }
const SHOWN_CATEGORIES = 12

export function HomePage() {
  const settings = useSettings()
  const banners = useQuery({ queryKey: ['banners'], queryFn: () => got(shop.GET('/api/v1/banner-blocks/active')) })
  const features = useQuery({ queryKey: ['features'], queryFn: () => got(shop.GET('/api/v1/feature-items/active')) })
  const reviews = useQuery({
    queryKey: ['reviews', 'shop'],
    queryFn: () => got(shop.GET('/api/v1/reviews/active', { params: { query: { shop: true, size: 6 } } })),
  })
  const chosen = useQuery({
    queryKey: ['categories', 'homepage'],
    queryFn: () => got(shop.GET('/api/v1/categories/homepage')),
  })
  // A shop that has chosen none shows the top of its tree.
  const tree = useQuery({ ...treeQuery, enabled: chosen.data?.length === 0 })
  const popular = useQuery({
    queryKey: ['products', 'popular'],
    queryFn: () => got(shop.GET('/api/v1/products', { params: { query: POPULAR } })),
  })
  const categories = chosen.data?.length === 0 ? tree.data : chosen.data
  if (popular.error) return <Failure error={popular.error} reset={popular.refetch} />
  return (
    <div className={css.page}>
      <PageHead title={settings.seo_site_title || t.home} description={settings.seo_site_description} />
      <h1 className={banners.data?.length ? common.hidden : undefined}>
        {settings.seo_site_title || settings.site_name}
      </h1>
      {banners.data && banners.data.length > 0 && (
        <div className={css.banners}>
          {banners.data.map((banner) => (
            <Banner key={banner.id} banner={banner} />
          ))}
        </div>
      )}
      {categories && categories.length > 0 && (
        <section>
          <h2>{t.catalogue}</h2>
          <ul className={css.categories}>
            {categories.slice(0, SHOWN_CATEGORIES).map(({ id, name, slug }) => (
              <li key={id}>
                <Link to="/categories/$slug" params={{ slug }}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{t.popular}</h2>
        {popular.data === undefined ? (
          <Loading />
        ) : (
          <ul className={common.grid}>
            {popular.data.content.map((product, index) => (
              <Tile key={product.id} product={product} isFirst={index < 4} />
            ))}
          </ul>
        )}
        {popular.data?.totalElements === 0 && <p className={common.notice}>{t.filling}</p>}
      </section>
      {features.data && features.data.length > 0 && (
        <section aria-label={t.features} className={css.features}>
          {features.data.map((feature) => (
            <Feature key={feature.id} feature={feature} />
          ))}
        </section>
      )}
      {reviews.data && reviews.data.length > 0 && (
        <section>
          <h2>{t.reviews}</h2>
          <div className={css.reviews}>
            {reviews.data.map(({ id, author, rating, text, reviewDate }) => (
              <figure key={id} className={common.card}>
                <Stars rating={{ average: rating }} />
                <blockquote>{text}</blockquote>
                <figcaption>
                  {author}, {formatDay(reviewDate)}
                </figcaption>
              </figure>
            ))}
          </div>
        </section>
      )}
    </div>
  )
}
