import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Search, useFilters } from '../address.ts'
import { got, shop } from '../api.ts'
import common from '../frame/common.module.css'
import { Failure, Loading } from '../frame/states.tsx'
import { t } from '../text.ts'
import { Filters } from './filters.tsx'
import { Paging } from './paging.tsx'
import css from './product-list.module.css'
import { filterQuery, hasFilters, listQuery, type Scope, withoutFilters } from './query.ts'
import { Tile } from './tile.tsx'

const SORTS = [
  ['', t.sortDefault],
  ['popularity,desc', t.sortPopular],
  ['price,asc', t.sortCheap],
  ['price,desc', t.sortDear],
  ['createdAt,desc', t.sortNew],
  ['name,asc', t.sortName],
] as const
const EAGER_TILES = 4

export function useProducts(search: Search, scope: Scope) {
  const query = listQuery(search, scope)
  return useQuery({
    queryKey: ['products', query],
    queryFn: ({ signal }) => got(shop.GET('/api/v1/products', { querySerializer: () => query, signal })),
    placeholderData: keepPreviousData,
  })
}

export function useFacets(search: Search, scope: Scope) {
  const query = filterQuery(search, scope)
  return useQuery({
    queryKey: ['facets', query],
    queryFn: ({ signal }) => got(shop.GET('/api/v1/products/facets', { querySerializer: () => query, signal })),
    placeholderData: keepPreviousData,
  })
}

/** Products with filters, order and pages, which are all in the address. */
export function ProductList({ scope }: { scope: Scope }) {
  const [search, change] = useFilters()
  const [isFiltering, setFiltering] = useState(false)
  const list = useProducts(search, scope)
  const facets = useFacets(search, scope)
  const top = useRef<HTMLParagraphElement>(null)
  const page = search.page?.[0]
  const shown = useRef(page)
  // The next page is read from its beginning.
  useEffect(() => {
    if (shown.current !== page) top.current?.focus()
    shown.current = page
  }, [page])

  if (list.error) return <Failure error={list.error} reset={list.refetch} />
  if (list.data === undefined) return <Loading />
  const { content, totalElements, totalPages } = list.data
  const reset = () => change(withoutFilters(search))

  return (
    <div className={css.page}>
      <div className={css.side}>
        <button
          type="button"
          className={css.toggle}
          aria-expanded={isFiltering}
          onClick={() => setFiltering(!isFiltering)}
        >
          {t.filters}
        </button>
        <div className={isFiltering ? css.open : css.closed}>
          {facets.data && <Filters facets={facets.data} scope={scope} search={search} onChange={change} />}
          {hasFilters(search, scope) && (
            <button type="button" className={common.link} onClick={reset}>
              {t.resetFilters}
            </button>
          )}
          <button type="button" className={css.show} onClick={() => setFiltering(false)}>
            {t.showProducts}: {totalElements}
          </button>
        </div>
      </div>
      <section aria-busy={list.isPlaceholderData} className={list.isPlaceholderData ? css.stale : undefined}>
        <div className={css.toolbar}>
          <p role="status" tabIndex={-1} ref={top} className={css.count}>
            {t.products(totalElements)}
          </p>
          <label className={css.sort}>
            <span>{t.sort}</span>
            <select value={search.sort?.[0] ?? ''} onChange={({ target }) => change({ sort: [target.value] })}>
              {SORTS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </div>
        {content.length === 0 && (
          <p className={common.notice}>
            {hasFilters(search, scope) ? t.nothing : t.empty}{' '}
            {hasFilters(search, scope) && (
              <button type="button" className={common.link} onClick={reset}>
                {t.resetFilters}
              </button>
            )}
          </p>
        )}
        <ul className={common.grid}>
          {content.map((product, index) => (
            <Tile key={product.id} product={product} isFirst={index < EAGER_TILES} />
          ))}
        </ul>
        <Paging search={search} total={totalPages} />
      </section>
    </div>
  )
}
