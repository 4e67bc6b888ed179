import { useFilters } from '../address.ts'
import { PageHead } from '../frame/page-head.tsx'
import { ProductList, useProducts } from '../list/product-list.tsx'
import css from './search.module.css'
import { t } from './text.ts'

export function SearchPage() {
  const [search] = useFilters()
  const text = search.search?.[0] ?? ''
  // The list's own request: it is sent once.
  const { data } = useProducts(search, {})
  return (
    <>
      <PageHead title={text === '' ? t.search : `${t.results} «${text}»`} isHidden />
      <h1>{text === '' ? t.all : `${t.results} «${text}»`}</h1>
      {data?.correctedSearch && (
        <p className={css.corrected}>
          {t.nothingFor} «{text}». {t.instead} <strong>«{data.correctedSearch}»</strong>.
        </p>
      )}
      <ProductList key={text} scope={{}} />
    </>
  )
}
