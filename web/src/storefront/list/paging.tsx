import { Link } from '@tanstack/react-router'
import type { Search } from '../address.ts'
import { t } from '../text.ts'
import css from './paging.module.css'
import { pageOf } from './query.ts'

const NEIGHBOURS = 1

/** Links to the first, the last and the neighbouring pages. */
export function Paging({ search, total }: { search: Search; total: number }) {
  if (total < 2) return null
  const current = pageOf(search)
  const pages = Array.from({ length: total }, (_, index) => index + 1).filter(
    (page) => page === 1 || page === total || Math.abs(page - current) <= NEIGHBOURS,
  )
  const at = (page: number) => ({ ...search, page: page === 1 ? undefined : [String(page)] })
  return (
    <nav aria-label={t.pages} className={css.paging}>
      {current > 1 && (
        <Link to="." search={at(current - 1)} className={css.page} aria-label={t.previous}>
          ‹
        </Link>
      )}
      {pages.map((page, index) => (
        <span key={page} className={css.place}>
          {index > 0 && page - (pages[index - 1] ?? 0) > 1 && <span aria-hidden="true">…</span>}
          <Link
            to="."
            search={at(page)}
            className={page === current ? css.current : css.page}
            aria-label={`${t.page} ${page}`}
            aria-current={page === current ? 'page' : undefined}
          >
            {page}
          </Link>
        </span>
      ))}
      {current < total && (
        <Link to="." search={at(current + 1)} className={css.page} aria-label={t.next}>
          ›
        </Link>
      )}
    </nav>
  )
}
