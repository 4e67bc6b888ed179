import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { got, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { t } from '../text.ts'
import css from './brands.module.css'

const SIZE = 100

export function BrandsPage() {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['brands'],
    queryFn: ({ pageParam, signal }) =>
      got(shop.GET('/api/v1/brands', { params: { query: { page: pageParam, size: SIZE } }, signal })),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.length === SIZE ? all.length : undefined),
  })
  if (error) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  const brands = data.pages.flat().filter(({ productCount }) => productCount > 0)
  return (
    <>
      <PageHead title={t.brands} />
      <h1>{t.brands}</h1>
      <ul className={common.grid}>
        {brands.map(({ id, name, slug, imageUrl, productCount }) => (
          <li key={id}>
            <Link to="/brands/$slug" params={{ slug }} className={css.brand}>
              {imageUrl !== null && <img src={`${imageUrl}&width=160`} alt="" className={css.logo} loading="lazy" />}
              <strong>{name}</strong>
              <span>{t.products(productCount)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <p>
          <button type="button" className={common.button} onClick={() => void fetchNextPage()}>
            {t.showAll}
          </button>
        </p>
      )}
    </>
  )
}
